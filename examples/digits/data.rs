//! The images: read, split by a fixed seed, shuffled, gathered into batches.

use std::io::Read;

use flate2::read::GzDecoder;
use fucina::rng::{Key, randperm_fill};
use fucina::{ExecContext, Tensor};

/// Pixels of an image.
pub(crate) const PIXELS: usize = 64;
/// Pixels of an image's row.
pub(crate) const SIDE: usize = 8;
/// The digits 0 to 9.
pub(crate) const CLASSES: usize = 10;
/// The largest pixel value.
const WHITE: u8 = 16;
/// Decides which images test, whatever seed trains.
const SPLIT_SEED: u64 = 1797;

/// All images, and their split.
pub(crate) struct Digits {
    pixels: Vec<u8>,
    classes: Vec<usize>,
    order: Vec<usize>,
}

impl Digits {
    /// Unpacks and checks the data.
    pub(crate) fn load() -> Result<Self, Box<dyn core::error::Error>> {
        let packed: &[u8] = include_bytes!("../data/digits.csv.gz");
        let mut text = String::new();
        GzDecoder::new(packed).read_to_string(&mut text)?;
        let (mut pixels, mut classes) = (Vec::new(), Vec::new());
        for (number, line) in text.lines().enumerate() {
            let values = line.split(',').map(str::parse).collect::<Result<Vec<u8>, _>>()?;
            let Some((&class, image)) = values.split_last() else { continue };
            let fits = image.len() == PIXELS
                && usize::from(class) < CLASSES
                && image.iter().all(|&pixel| pixel <= WHITE);
            if !fits {
                return Err(
                    format!("digits.csv, line {}: not an image and a class", number + 1).into()
                );
            }
            pixels.extend_from_slice(image);
            classes.push(usize::from(class));
        }
        let order = permutation(classes.len(), Key::new(SPLIT_SEED));
        Ok(Self { pixels, classes, order })
    }

    fn test_count(&self) -> usize {
        self.classes.len() / 5
    }

    /// The images to learn from.
    pub(crate) fn train(&self) -> &[usize] {
        &self.order[self.test_count()..]
    }

    /// The images to be tested on.
    pub(crate) fn test(&self) -> &[usize] {
        &self.order[..self.test_count()]
    }

    /// The class of an image.
    pub(crate) fn class(&self, image: usize) -> usize {
        self.classes[image]
    }

    /// The pixels of an image, 0 to 16.
    pub(crate) fn pixels(&self, image: usize) -> &[u8] {
        &self.pixels[image * PIXELS..(image + 1) * PIXELS]
    }

    /// Some images as `[n, 64]`, from -1 (black) to 1 (white).
    pub(crate) fn images(&self, ctx: &ExecContext, which: &[usize]) -> fucina::Result<Tensor> {
        let pixels = which.iter().flat_map(|&image| self.pixels(image));
        let values: Vec<f32> = pixels.map(|&p| f32::from(p) / 8.0 - 1.0).collect();
        Tensor::from_slice(ctx, &[which.len(), PIXELS], &values)
    }
}

/// The images in another order.
pub(crate) fn shuffled(images: &[usize], key: Key) -> Vec<usize> {
    permutation(images.len(), key).into_iter().map(|i| images[i]).collect()
}

fn permutation(len: usize, key: Key) -> Vec<usize> {
    let mut order = vec![0_i64; len];
    randperm_fill(key.seed(), &mut order);
    order.into_iter().map(|i| i as usize).collect()
}
