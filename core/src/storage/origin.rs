//! [`Origin`]: the source line that asked for a block. Kept with the feature `track-origins`, else a type of no size.
#![forbid(unsafe_code)]

cfg_select! {
    feature = "track-origins" => {
        use core::panic::Location;

        /// The source line that asked for a block.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct Origin(&'static Location<'static>);

        impl Origin {
            /// The line that called the function this is called in, as far as `track_caller` reaches.
            #[track_caller]
            pub(crate) fn here() -> Self {
                Self(Location::caller())
            }

            /// Where it is.
            pub(crate) fn location(self) -> Option<&'static Location<'static>> {
                Some(self.0)
            }
        }
    }
    _ => {
        /// Nothing: the feature `track-origins` is off.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct Origin;

        impl Origin {
            #[inline(always)]
            pub(crate) fn here() -> Self {
                Self
            }

            pub(crate) fn location(self) -> Option<&'static core::panic::Location<'static>> {
                None
            }
        }
    }
}
