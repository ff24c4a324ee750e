//! What the terminal shows: epochs, the confusion matrix, some misread digits.

use core::fmt;

use super::Confusion;
use super::data::{CLASSES, Digits, SIDE};

/// Misread digits shown.
const SHOWN: usize = 6;

/// How an epoch went.
pub(crate) struct Epoch {
    /// Mean loss over the training images.
    pub(crate) loss: f64,
    /// Share of the test images read right.
    pub(crate) accuracy: f64,
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "loss {:.9}  test accuracy {:6.2} %", self.loss, 100.0 * self.accuracy)
    }
}

/// Counts by true class, then by the class read.
pub(crate) fn confusion(digits: &Digits, test: &[usize], guesses: &[usize]) -> Confusion {
    let mut counts = [[0; CLASSES]; CLASSES];
    for (&image, &guess) in test.iter().zip(guesses) {
        counts[digits.class(image)][guess] += 1;
    }
    counts
}

/// Prints accuracy, confusion matrix and misread digits.
pub(crate) fn print(digits: &Digits, test: &[usize], guesses: &[usize], confusion: &Confusion) {
    let right: usize = (0..CLASSES).map(|class| confusion[class][class]).sum();
    println!(
        "\ntest accuracy: {:.2} % ({right} of {})",
        100.0 * right as f64 / test.len() as f64,
        test.len()
    );

    println!("\nread as     0   1   2   3   4   5   6   7   8   9");
    for (class, counts) in confusion.iter().enumerate() {
        let cells = counts.iter().map(|&n| if n == 0 { "   .".into() } else { format!("{n:4}") });
        println!("true {class}   {}", cells.collect::<String>());
    }

    let wrong = test.iter().zip(guesses).filter(|&(&image, &guess)| guess != digits.class(image));
    let wrong: Vec<(usize, usize)> =
        wrong.map(|(&image, &guess)| (image, guess)).take(SHOWN).collect();
    if wrong.is_empty() {
        return;
    }
    println!("\nmisread:");
    let titles = wrong.iter().map(|&(image, guess)| {
        let title = format!("{} read as {guess}", digits.class(image));
        format!("{title:<18}")
    });
    println!("{}", titles.collect::<String>().trim_end());
    for row in 0..SIDE {
        let lines = wrong.iter().map(|&(image, _)| {
            let pixels = &digits.pixels(image)[row * SIDE..(row + 1) * SIDE];
            let line: String = pixels.iter().flat_map(|&pixel| [shade(pixel); 2]).collect();
            format!("{line:<18}")
        });
        println!("{}", lines.collect::<String>().trim_end());
    }
}

/// A pixel of 0 to 16 as a block.
fn shade(pixel: u8) -> char {
    [' ', '░', '▒', '▓', '█'][usize::from(pixel.div_ceil(4)).min(4)]
}
