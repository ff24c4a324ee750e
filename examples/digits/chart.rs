//! `digits.svg`: curves of loss and accuracy, and the confusion matrix.

use core::error::Error;
use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Confusion;
use super::data::CLASSES;
use super::report::Epoch;

const INK: RGBColor = RGBColor(40, 44, 52);
const LOSS: RGBColor = RGBColor(200, 80, 40);
const ACCURACY: RGBColor = RGBColor(30, 100, 180);

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Draws both to `path`.
pub(crate) fn draw(
    path: &Path,
    epochs: &[Epoch],
    confusion: &Confusion,
) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let root = SVGBackend::new(path, (1200, 600)).into_drawing_area();
    root.fill(&WHITE)?;
    let root =
        root.titled("Reading handwritten digits", ("sans-serif", 28).into_font().color(&INK))?;
    let (curves, matrix) = root.split_horizontally(620);
    let (upper, lower) = curves.split_vertically(265);
    let losses: Vec<f64> = epochs.iter().map(|epoch| epoch.loss).collect();
    let accuracies: Vec<f64> = epochs.iter().map(|epoch| 100.0 * epoch.accuracy).collect();
    let top = losses.iter().copied().fold(0.0, f64::max) * 1.05;
    let bottom = accuracies.iter().copied().fold(100.0, f64::min);
    curve(&upper, "training loss", LOSS, &losses, 0.0, top.max(1e-6))?;
    curve(&lower, "test accuracy, %", ACCURACY, &accuracies, (bottom - 2.0).max(0.0), 100.5)?;
    draw_matrix(&matrix, confusion)?;
    root.present()?;
    Ok(())
}

fn curve(
    area: &Area<'_>,
    title: &str,
    color: RGBColor,
    values: &[f64],
    low: f64,
    high: f64,
) -> Result<(), Box<dyn Error>> {
    let last = values.len().max(2) as f64;
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 18).into_font().color(&color))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d(1.0..last, low..high)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .axis_style(INK)
        .x_desc("epoch")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .draw()?;
    let points = values.iter().enumerate().map(|(i, &v)| (i as f64 + 1.0, v));
    chart.draw_series(LineSeries::new(points.clone(), color.stroke_width(2)))?;
    chart.draw_series(points.map(|point| Circle::new(point, 3, color.filled())))?;
    Ok(())
}

fn draw_matrix(area: &Area<'_>, confusion: &Confusion) -> Result<(), Box<dyn Error>> {
    let most = confusion.iter().flatten().copied().max().unwrap_or(1).max(1) as f64;
    let mut chart = ChartBuilder::on(area)
        .caption("confusion matrix", ("sans-serif", 18).into_font().color(&INK))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d((0..CLASSES - 1).into_segmented(), (0..CLASSES - 1).into_segmented())?;
    let label = |value: &SegmentValue<usize>| match value {
        // The first row stands on top.
        SegmentValue::CenterOf(row) => (CLASSES - 1 - row).to_string(),
        _ => String::new(),
    };
    chart
        .configure_mesh()
        .disable_mesh()
        .axis_style(INK)
        .x_desc("read as")
        .y_desc("true digit")
        .y_label_formatter(&label)
        .draw()?;
    for (class, counts) in confusion.iter().enumerate() {
        for (guess, &count) in counts.iter().enumerate() {
            let row = CLASSES - 1 - class;
            let corners = [
                (SegmentValue::Exact(guess), SegmentValue::Exact(row)),
                (SegmentValue::Exact(guess + 1), SegmentValue::Exact(row + 1)),
            ];
            let hue = if class == guess { ACCURACY } else { LOSS };
            // Errors are few: the square root keeps a single one visible.
            let strength = (count as f64 / most).sqrt();
            chart.draw_series([Rectangle::new(corners, hue.mix(0.9 * strength).filled())])?;
            if count > 0 {
                let ink = if strength > 0.6 { WHITE } else { INK };
                let style = ("sans-serif", 16).into_font().color(&ink);
                let style = style.pos(Pos::new(HPos::Center, VPos::Center));
                let place = (SegmentValue::CenterOf(guess), SegmentValue::CenterOf(row));
                chart.draw_series([Text::new(count.to_string(), place, style)])?;
            }
        }
    }
    Ok(())
}
