//! [`LiveList`]: every live block, newest first, with the feature `track-origins`; else nothing, at no cost.
//!
//! The list runs through the same links that a cached block hangs in its bin by: a block is never both. Callers hold the
//! pool's lock.
#![forbid(unsafe_code)]

use crate::storage::Origin;
use crate::storage::block::Block;

cfg_select! {
    feature = "track-origins" => {
        /// The live blocks.
        pub(super) struct LiveList(Option<Block>);

        const NEWER: usize = 0;
        const OLDER: usize = 1;

        impl LiveList {
            pub(super) const KEPT: bool = true;

            pub(super) const fn new() -> Self {
                Self(None)
            }

            pub(super) fn link(&mut self, block: Block) {
                block.header().links.clear();
                block.header().links.child[OLDER].set(self.0);
                if let Some(older) = self.0.replace(block) {
                    older.header().links.child[NEWER].set(Some(block));
                }
            }

            pub(super) fn unlink(&mut self, block: Block) {
                let links = &block.header().links;
                let (newer, older) = (links.child[NEWER].get(), links.child[OLDER].get());
                match newer {
                    Some(newer) => newer.header().links.child[OLDER].set(older),
                    None => self.0 = older,
                }
                if let Some(older) = older {
                    older.header().links.child[NEWER].set(newer);
                }
                links.clear();
            }

            pub(super) fn for_each(&self, mut f: impl FnMut(usize, Origin)) {
                let mut at = self.0;
                while let Some(block) = at {
                    f(block.header().capacity, block.header().origin.get());
                    at = block.header().links.child[OLDER].get();
                }
            }
        }
    }
    _ => {
        /// Nothing: the feature `track-origins` is off.
        pub(super) struct LiveList;

        impl LiveList {
            pub(super) const KEPT: bool = false;

            pub(super) const fn new() -> Self {
                Self
            }

            #[inline(always)]
            pub(super) fn link(&mut self, _: Block) {}

            #[inline(always)]
            pub(super) fn unlink(&mut self, _: Block) {}

            pub(super) fn for_each(&self, _: impl FnMut(usize, Origin)) {}
        }
    }
}
