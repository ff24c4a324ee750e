//! Every array of `data/rng_vectors.json`, bit for bit.
//!
//! The reader takes the subset of JSON that the file uses: objects, arrays and strings without escapes. Each array is
//! taken out of its object when checked, so a name no check knows fails the test.

extern crate alloc;

use alloc::collections::BTreeMap;

use fucina_core::rng;

const VECTORS: &str = include_str!("data/rng_vectors.json");

#[derive(Debug)]
enum Json {
    Object(BTreeMap<String, Json>),
    Array(Vec<String>),
    Text(String),
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn take(&mut self, token: char) -> bool {
        self.rest = self.rest.trim_start();
        let found = self.rest.starts_with(token);
        if found {
            self.rest = &self.rest[token.len_utf8()..];
        }
        found
    }

    fn text(&mut self) -> String {
        assert!(self.take('"'), "a string was expected at {:.40}", self.rest);
        let (text, rest) = self.rest.split_once('"').expect("an open string");
        assert!(!text.contains('\\'), "escapes are not read: {text}");
        self.rest = rest;
        text.to_owned()
    }

    fn value(&mut self) -> Json {
        if self.take('{') {
            let mut object = BTreeMap::new();
            while !self.take('}') {
                let name = self.text();
                assert!(self.take(':'));
                let value = self.value();
                assert!(object.insert(name, value).is_none(), "a name stands twice");
                self.take(',');
            }
            Json::Object(object)
        } else if self.take('[') {
            let mut array = Vec::new();
            while !self.take(']') {
                array.push(self.text());
                self.take(',');
            }
            Json::Array(array)
        } else {
            Json::Text(self.text())
        }
    }
}

fn object(json: Json) -> BTreeMap<String, Json> {
    match json {
        Json::Object(object) => object,
        other => panic!("an object was expected, not {other:?}"),
    }
}

/// The arrays of one seed; what was not asked for at the end is an error.
struct Vectors {
    seed: u64,
    arrays: BTreeMap<String, Json>,
}

impl Vectors {
    fn all() -> Vec<Self> {
        let mut reader = Reader { rest: VECTORS };
        let mut top = object(reader.value());
        assert!(reader.rest.trim().is_empty());
        let seeds = object(top.remove("seeds").expect("the seeds"));
        assert!(seeds.len() >= 2);
        top.remove("note");
        assert!(top.is_empty(), "not checked: {:?}", top.keys());
        seeds
            .into_iter()
            .map(|(name, arrays)| {
                let mut arrays = object(arrays);
                let Some(Json::Text(seed)) = arrays.remove("seed") else { panic!("no seed") };
                assert_eq!(seed, name);
                Self { seed: integer(&seed) as u64, arrays }
            })
            .collect()
    }

    fn words(&mut self, name: &str) -> Vec<i128> {
        match self.arrays.remove(name) {
            Some(Json::Array(words)) => words.iter().map(|w| integer(w)).collect(),
            other => panic!("{name}: an array was expected, not {other:?}"),
        }
    }

    /// Checks a fill of f32 against the array `name`.
    fn floats(&mut self, name: &str, fill: impl FnOnce(&mut [f32])) {
        let expected = self.words(name);
        let mut out = vec![f32::NAN; expected.len()];
        fill(&mut out);
        for (i, (x, bits)) in out.iter().zip(&expected).enumerate() {
            assert_eq!(
                i128::from(x.to_bits()),
                *bits,
                "seed {:#x}, {name}[{i}]: {x} is {:#010x}, not {bits:#010x}",
                self.seed,
                x.to_bits()
            );
        }
    }

    fn integers(&mut self, name: &str, fill: impl FnOnce(&mut [i64])) {
        let expected = self.words(name);
        let mut out = vec![i64::MIN; expected.len()];
        fill(&mut out);
        let out: Vec<_> = out.into_iter().map(i128::from).collect();
        assert_eq!(out, expected, "seed {:#x}, {name}", self.seed);
    }
}

fn integer(text: &str) -> i128 {
    match text.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16),
        None => text.parse(),
    }
    .expect("an integer")
}

#[test]
fn every_array_of_the_vectors_is_reproduced() {
    for mut v in Vectors::all() {
        let s = v.seed;
        stream(&mut v);
        v.floats("gaussianFill_n17_scale1", |o| rng::gaussian_fill(s, o, 1.0));
        v.floats("gaussianFill_n17_scale0.02", |o| rng::gaussian_fill(s, o, 0.02));
        v.floats("gaussianFillAt_first5_n9_scale1", |o| rng::gaussian_fill_at(s, 5, o, 1.0));
        for (name, first, scale) in [
            ("gaussianFillAtFast_first0_n17_scale1", 0, 1.0),
            ("gaussianFillAtFast_first0_n17_scale0.02", 0, 0.02),
            ("gaussianFillAtFast_first5_n9_scale1", 5, 1.0),
            ("gaussianFillAtFast_first1000001_n67_scale2", 1_000_001, 2.0),
        ] {
            v.floats(name, |o| rng::gaussian_fill_at_fast(s, first, o, scale));
        }
        v.floats("uniformFill_lo-1_hi3_n17", |o| rng::uniform_fill(s, o, -1.0, 3.0).unwrap());
        v.floats("kaimingUniformFill_fanin64_n17", |o| {
            rng::kaiming_uniform_fill(s, o, 64).unwrap();
        });
        v.floats("kaimingUniformFill_fanin27_n17", |o| {
            rng::kaiming_uniform_fill(s, o, 27).unwrap();
        });
        v.floats("normalFill_mean1.5_std0.25_n17", |o| {
            rng::normal_fill(s, o, 1.5, 0.25).unwrap();
        });
        v.floats("gumbelFill_n17", |o| rng::gumbel_fill(s, o));
        v.integers("randintFill_low-5_high17_n17", |o| rng::randint_fill(s, o, -5, 17).unwrap());
        v.integers("randintFill_lowMinI64_highMaxI64_n17", |o| {
            rng::randint_fill(s, o, i64::MIN, i64::MAX).unwrap();
        });
        for n in [1, 2, 10, 33] {
            v.integers(&format!("randpermFill_n{n}"), |o| rng::randperm_fill(s, o));
        }
        let ramp: Vec<f32> = (1..=64_u8).map(f32::from).collect();
        for p in [0.1, 0.25, 0.5, 0.9] {
            v.floats(&format!("dropout_ramp1to64_p{p}"), |o| {
                rng::dropout(s, 0, p, &ramp, o).unwrap();
            });
        }
        assert!(v.arrays.is_empty(), "not checked: {:?}", v.arrays.keys());
    }
}

fn stream(v: &mut Vectors) {
    let mut state = v.seed;
    for (i, word) in v.words("splitmix64_first16").into_iter().enumerate() {
        assert_eq!(i128::from(rng::splitmix64(&mut state)), word);
        assert_eq!(i128::from(rng::at(v.seed, i as u64)), word);
    }
    let (indices, words) = (v.words("at_indices"), v.words("at"));
    assert_eq!(indices.len(), words.len());
    for (i, word) in indices.into_iter().zip(words) {
        assert_eq!(i128::from(rng::at(v.seed, i as u64)), word, "at({:#x}, {i})", v.seed);
    }
}
