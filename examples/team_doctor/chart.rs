//! `team_doctor.svg`: latency over the width, and speed-up over the size of `add` and `matmul`.

use core::error::Error;
use core::ops::Range;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::measure::{Latency, Sweep};

const INK: RGBColor = RGBColor(40, 44, 52);
const HOT: RGBColor = RGBColor(200, 80, 40);
const PARKED: RGBColor = RGBColor(30, 100, 180);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws all of it to `path`.
pub(crate) fn draw(
    path: &Path,
    latencies: &[Latency],
    sweeps: &[Sweep],
) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let root = SVGBackend::new(path, (1200, 440)).into_drawing_area();
    root.fill(&WHITE)?;
    let root =
        root.titled("The worker team on this machine", ("sans-serif", 26).into_font().color(&INK))?;
    let areas = root.split_evenly((1, 1 + sweeps.len()));
    latency(&areas[0], latencies)?;
    for (area, sweep) in areas[1..].iter().zip(sweeps) {
        speedup(area, sweep)?;
    }
    root.present()?;
    Ok(())
}

/// Microseconds of an empty dispatch, on a logarithmic scale.
fn latency(area: &Area<'_>, latencies: &[Latency]) -> Result<(), Box<dyn Error>> {
    let widths = 1..latencies.len().max(2) + 1;
    let highest = latencies.iter().map(|l| l.parked.slow.max(l.hot.slow)).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption("empty dispatch", ("sans-serif", 18).into_font().color(&INK))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(widths, (0.001..highest * 2e-3).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("threads")
        .y_desc("microseconds")
        .x_labels(latencies.len().min(16))
        .light_line_style(WHITE)
        .draw()?;
    let hot = latencies.iter().map(|l| (l.width, (l.hot.median / 1000.0).max(0.001)));
    let parked = latencies.iter().map(|l| (l.width, (l.parked.median / 1000.0).max(0.001)));
    for (name, color, points) in
        [("hot", HOT, hot.collect::<Vec<_>>()), ("from sleep", PARKED, parked.collect())]
    {
        chart
            .draw_series(LineSeries::new(points, color.stroke_width(2)).point_size(4))?
            .label(name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 14, y + 5)], color.filled()));
    }
    chart.configure_series_labels().background_style(WHITE).border_style(INK).draw()?;
    Ok(())
}

/// How many times faster the team is.
fn speedup(area: &Area<'_>, sweep: &Sweep) -> Result<(), Box<dyn Error>> {
    let sizes: Range<f64> =
        sweep.rows.first().map_or(1.0, |row| row.size as f64)..sweep.largest().max(2) as f64;
    let highest = sweep.rows.iter().map(|row| row.speedup()).fold(2.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption(sweep.name, ("sans-serif", 18).into_font().color(&INK))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(48)
        .build_cartesian_2d(sizes.clone().log_scale(), 0.0..highest * 1.1)?;
    chart
        .configure_mesh()
        .x_desc(sweep.unit)
        .y_desc("times faster than one thread")
        .x_labels(6)
        .light_line_style(WHITE)
        .draw()?;
    chart.draw_series(LineSeries::new([(sizes.start, 1.0), (sizes.end, 1.0)], INK.mix(0.4)))?;
    let points = sweep.rows.iter().map(|row| (row.size as f64, row.speedup()));
    chart.draw_series(LineSeries::new(points, PARKED.stroke_width(2)).point_size(3))?;
    Ok(())
}
