//! [`RawTensor`]: storage and a layout, without a gradient.
//!
//! Views share storage and count it; a tensor's elements are written only while its storage has one owner. Everything
//! that computes goes through a context (`exec`); what stands here only reads or rearranges.
#![forbid(unsafe_code)]

mod view;

use core::fmt;
use core::marker::PhantomData;

use crate::dtype::{DType, Element};
use crate::error::{Error, Result};
use crate::layout::{Layout, LayoutClass, Shape};
use crate::storage::Storage;

/// Elements of type `T` in counted storage, seen through a layout of rank 1 to 8. Cloning shares the storage.
pub struct RawTensor<T: Element> {
    storage: Storage,
    layout: Layout,
    element: PhantomData<T>,
}

impl<T: Element> RawTensor<T> {
    /// `layout` stays inside `storage`.
    #[inline]
    pub(crate) fn from_parts(storage: Storage, layout: Layout) -> Self {
        debug_assert!(layout.span().end <= storage.len_bytes() / size_of::<T>());
        Self { storage, layout, element: PhantomData }
    }

    /// The shape.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> &Shape {
        self.layout.shape()
    }

    /// The number of elements.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.shape().count()
    }

    /// Always false: there are no empty tensors.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// The element type's name.
    #[must_use]
    pub const fn dtype(&self) -> DType {
        T::DTYPE
    }

    /// Where the elements lie in the storage.
    #[must_use]
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Which kind of layout it is: the dispatch key of elementwise ops.
    #[must_use]
    pub fn classify(&self) -> LayoutClass {
        self.layout.classify()
    }

    /// The storage.
    #[must_use]
    #[inline]
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// The elements in row-major order, without a copy.
    ///
    /// # Errors
    /// [`Error::UnsupportedView`] if they do not lie one behind the other; `materialize` makes a copy that does.
    #[inline]
    pub fn data(&self) -> Result<&[T]> {
        self.contiguous().ok_or(Error::UnsupportedView { op: "data", fits: "a contiguous tensor" })
    }

    /// The elements in row-major order, to write.
    ///
    /// # Errors
    /// [`Error::UnsupportedView`] if they do not lie one behind the other, another tensor shares the storage, or the
    /// storage is foreign (borrowed, static, taken over).
    pub fn data_mut(&mut self) -> Result<&mut [T]> {
        self.unique_mut().ok_or(Error::UnsupportedView {
            op: "data_mut",
            fits: "a contiguous tensor that is the only owner of pooled storage",
        })
    }

    /// The elements, if contiguous.
    #[inline]
    pub(crate) fn contiguous(&self) -> Option<&[T]> {
        if !self.layout.is_contiguous() {
            return None;
        }
        let start = self.layout.offset();
        Some(&self.storage.elements()[start..start + self.len()])
    }

    /// The elements to write, if contiguous and unshared.
    #[inline]
    pub(crate) fn unique_mut(&mut self) -> Option<&mut [T]> {
        if !self.layout.is_contiguous() {
            return None;
        }
        let (start, len) = (self.layout.offset(), self.len());
        Some(&mut self.storage.elements_mut()?[start..start + len])
    }

    /// All elements of the storage to write, if unshared.
    #[inline]
    pub(crate) fn storage_mut(&mut self) -> Option<&mut [T]> {
        self.storage.elements_mut()
    }

    /// All elements of the storage; the layout's offset and strides index it.
    #[inline]
    pub(crate) fn storage_elements(&self) -> &[T] {
        self.storage.elements()
    }

    /// The elements in row-major order, one by one.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        let walk = crate::layout::collapse(self.shape(), [&self.layout]);
        let (len, [stride], all) = (walk.row_len(), walk.row_strides(), self.storage_elements());
        walk.rows(0, walk.row_count()).flat_map(move |[start]| {
            (0..len).map(move |i| all[start.wrapping_add_signed(stride * i as isize)])
        })
    }
}

/// Storage of a result in the making: filled first, then given its layout.
pub(crate) struct Fresh<T: Element> {
    storage: Storage,
    shape: Shape,
    element: PhantomData<T>,
}

impl<T: Element> Fresh<T> {
    /// `storage` is unshared and holds at least the elements of `shape`.
    #[inline(always)]
    pub(crate) fn new(storage: Storage, shape: Shape) -> Self {
        Self { storage, shape, element: PhantomData }
    }

    /// The elements, to fill.
    #[inline(always)]
    pub(crate) fn data(&mut self) -> &mut [T] {
        let count = self.shape.count();
        match self.storage.elements_mut() {
            Some(all) => &mut all[..count],
            None => unreachable!("a result in the making is unshared"),
        }
    }

    /// The tensor, row-major.
    #[inline(always)]
    pub(crate) fn done(self) -> RawTensor<T> {
        RawTensor::from_parts(self.storage, Layout::contiguous(self.shape))
    }
}

impl<T: Element> Clone for RawTensor<T> {
    #[inline]
    fn clone(&self) -> Self {
        Self { storage: self.storage.clone(), layout: self.layout, element: PhantomData }
    }
}

impl<T: Element> fmt::Debug for RawTensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawTensor<{}>{}", T::DTYPE, self.shape())
    }
}
