//! Bars as SVG: one group a name, one bar a series. Colours follow the reader's choice of light or dark; numbers stand beside the
//! bars, so that nothing depends on colour or scale alone.

/// A group of bars.
pub struct Bar {
    /// What it is called.
    pub name: String,
    /// A value for each series, where there is one.
    pub values: Vec<Option<f64>>,
}

const WIDTH: f64 = 720.0;
const LABELS: f64 = 150.0;
const NUMBERS: f64 = 60.0;
const THICK: f64 = 16.0;
const GAP: f64 = 12.0;

const STYLE: &str = "\
text { font: 13px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600; font-size: 15px } \
.axis { stroke: #8c959f } .s0 { fill: #8c959f } .s1 { fill: #0969da } .only { fill: #0969da } \
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .axis { stroke: #6e7681 } .s0 { fill: #6e7681 } \
.s1, .only { fill: #4493f8 } }";

/// Bars that lie side by side below each other; `unit` follows every number.
pub fn bars(title: &str, series: &[&str], groups: &[Bar], unit: &str) -> String {
    let most = groups.iter().flat_map(|bar| bar.values.iter().flatten()).fold(1.0_f64, |a, b| a.max(*b));
    let room = WIDTH - LABELS - NUMBERS;
    let class = |at: usize| if series.len() == 1 { "only".to_owned() } else { format!("s{at}") };
    let mut body = format!("<text class=\"title\" x=\"0\" y=\"16\">{}</text>\n", escaped(title));
    let mut y = 32.0;
    if series.len() > 1 {
        for (at, name) in series.iter().enumerate() {
            let x = LABELS + 110.0 * at as f64;
            body +=
                &format!("<rect class=\"{}\" x=\"{x}\" y=\"{y}\" width=\"12\" height=\"12\"/>", class(at));
            body += &format!("<text x=\"{}\" y=\"{}\">{}</text>\n", x + 18.0, y + 11.0, escaped(name));
        }
        y += 26.0;
    }
    let top = y;
    for group in groups {
        let middle = y + THICK * group.values.len() as f64 / 2.0 + 4.0;
        let name = escaped(&group.name);
        body += &format!("<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{name}</text>\n", LABELS - 10.0);
        for (at, value) in group.values.iter().enumerate() {
            let below = y + THICK - 4.0;
            let Some(value) = value else {
                body += &format!("<text x=\"{}\" y=\"{below}\">–</text>\n", LABELS + 6.0);
                y += THICK;
                continue;
            };
            let long = (value / most * room).max(1.0);
            body += &format!(
                "<rect class=\"{}\" x=\"{LABELS}\" y=\"{y}\" width=\"{long:.1}\" height=\"{}\"/>",
                class(at),
                THICK - 3.0
            );
            let number = if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.1}") };
            body += &format!("<text x=\"{:.1}\" y=\"{below}\">{number}{unit}</text>\n", LABELS + long + 6.0);
            y += THICK;
        }
        y += GAP;
    }
    body += &format!("<path class=\"axis\" d=\"M{LABELS} {top}V{:.0}\"/>\n", y - GAP);
    let title = escaped(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {y:.0}\" width=\"{WIDTH}\" role=\"img\" \
         aria-label=\"{title}\">\n<style>{STYLE}</style>\n{body}</svg>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_number_is_in_the_picture() {
        let groups = [
            Bar { name: "a < b".to_owned(), values: vec![Some(2.0), Some(1.25)] },
            Bar { name: "c".to_owned(), values: vec![None, Some(8.0)] },
        ];
        let svg = bars("Of & with", &["one", "two"], &groups, "×");
        for text in ["a &lt; b", ">2×<", ">1.2×<", ">8×<", ">–<", "Of &amp; with", ">one<", ">two<"] {
            assert!(svg.contains(text), "{text} is not in {svg}");
        }
        assert_eq!(svg.matches("<rect").count(), 2 + 3);
    }
}
