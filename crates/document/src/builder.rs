//! Builds the arena of a file from the events of a YAML or JSON reader, the same way for both.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::limits::Limits;
use crate::source::{FileId, SourceFile, Span, offset_of};
use crate::tree::{Data, INDEXED_ABOVE, KeyData, NONE, Node, Text, Tree};

/// An array or object that is still open.
struct Frame {
    node: u32,
    object: bool,
    first: u32,
    last: u32,
    length: u32,
    /// The key that waits for its value, and whether it is a YAML merge key.
    key: Option<(KeyData, bool)>,
    /// Members that merge others in.
    merges: Vec<u32>,
}

/// Why reading a file must stop.
pub(crate) type Stop = Box<Diagnostic>;

/// Receives arrays, objects, keys and scalars in document order.
pub(crate) struct Builder<'a> {
    pub(crate) file: FileId,
    pub(crate) source: &'a SourceFile,
    pub(crate) limits: &'a Limits,
    pub(crate) problems: &'a mut Diagnostics,
    tree: Tree,
    stack: Vec<Frame>,
    copied: usize,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(
        file: FileId,
        source: &'a SourceFile,
        limits: &'a Limits,
        problems: &'a mut Diagnostics,
    ) -> Self {
        Self { file, source, limits, problems, tree: Tree::default(), stack: Vec::new(), copied: 0 }
    }

    /// Returns the span of these bytes.
    pub(crate) fn span(&self, range: &Range<u32>) -> Span {
        Span {
            file: self.file,
            start_byte: range.start,
            end_byte: range.end,
            start: self.source.position(range.start),
            end: self.source.position(range.end),
        }
    }

    /// Reports a number that JSON does not have. Only a strict reader refuses the document for it: most are
    /// examples and defaults, and the rest of the document does not depend on them.
    pub(crate) fn unrepresentable(&mut self, message: String, range: &Range<u32>) -> Result<(), Stop> {
        let problem = Diagnostic::error(codes::UNREPRESENTABLE_NUMBER, self.span(range), message)
            .hint("write a finite number, or quote the value if it is text");
        if self.limits.strict {
            return Err(Box::new(problem));
        }
        self.problems.push(problem.tolerated("it is read as text"));
        Ok(())
    }

    /// Interns a text: as the part of the source at `at` if it is written literally there, and otherwise as a
    /// copy.
    pub(crate) fn intern(&mut self, text: &str, at: u32) -> Text {
        let start = at as usize;
        if self.source.text().get(start..start + text.len()) == Some(text) {
            Text::source(at, offset_of(text.len()))
        } else {
            self.tree.pooled(text)
        }
    }

    /// Text that is not written literally in the source.
    pub(crate) fn pool(&mut self, text: &str) -> Text {
        self.tree.pooled(text)
    }

    /// Returns whether the next value belongs to an object and its key is still to come.
    pub(crate) fn expects_key(&self) -> bool {
        self.stack.last().is_some_and(|frame| frame.object && frame.key.is_none())
    }

    /// Returns whether an array or object is still open.
    pub(crate) fn has_open(&self) -> bool {
        !self.stack.is_empty()
    }

    /// Returns whether the innermost open container is an object.
    pub(crate) fn in_object(&self) -> bool {
        self.stack.last().is_some_and(|frame| frame.object)
    }

    /// Returns the start of the innermost open container.
    pub(crate) fn open_span(&self) -> Option<Span> {
        let start = self.tree.node(self.stack.last()?.node).start;
        Some(self.span(&(start..start + 1)))
    }

    /// Returns the end of the key that waits for its value.
    pub(crate) fn pending_key_end(&self) -> Option<u32> {
        self.stack.last()?.key.map(|(key, _)| key.end)
    }

    /// Returns the node of the innermost open container.
    pub(crate) fn open_node(&self) -> Option<u32> {
        self.stack.last().map(|frame| frame.node)
    }

    /// Returns the text of a scalar, if it is one that can serve as a key.
    pub(crate) fn scalar_text(&self, node: u32) -> Option<Text> {
        match self.tree.node(node).data {
            Data::String(text) | Data::Integer(text) | Data::Number(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn key(&mut self, text: Text, range: &Range<u32>, merge: bool) {
        if let Some(frame) = self.stack.last_mut() {
            frame.key = Some((KeyData { text, start: range.start, end: range.end }, merge));
        }
    }

    pub(crate) fn scalar(&mut self, data: Data, range: &Range<u32>) -> u32 {
        self.add(data, range)
    }

    pub(crate) fn open(&mut self, object: bool, range: &Range<u32>) -> Result<u32, Stop> {
        if self.stack.len() >= self.limits.max_depth {
            return Err(self.too_deep(range));
        }
        let node = self.add(Data::Null, range);
        self.stack.push(Frame {
            node,
            object,
            first: NONE,
            last: NONE,
            length: 0,
            key: None,
            merges: Vec::new(),
        });
        Ok(node)
    }

    /// Closes the innermost container. A block collection ends where its last child ends, which `end: None`
    /// says.
    pub(crate) fn close(&mut self, end: Option<u32>) {
        let Some(mut frame) = self.stack.pop() else { return };
        if !frame.merges.is_empty() {
            self.merge(&mut frame);
        }
        let node_end = end.unwrap_or_else(|| match frame.last {
            NONE => self.tree.node(frame.node).end,
            last => self.tree.node(last).end.max(self.tree.node(last).key.map_or(0, |key| key.end)),
        });
        let data = if frame.object {
            let sorted = self.check_keys(&mut frame);
            Data::Object { first: frame.first, length: frame.length, sorted }
        } else {
            Data::Array { first: frame.first, length: frame.length }
        };
        let node = &mut self.tree.nodes[frame.node as usize];
        node.end = node_end.max(node.start);
        node.data = data;
    }

    /// Adds a copy of a finished node, as a YAML alias asks for.
    pub(crate) fn copy(&mut self, original: u32, range: &Range<u32>) -> Result<u32, Stop> {
        let node = self.copy_tree(original, range)?;
        let copied = &mut self.tree.nodes[node as usize];
        (copied.start, copied.end) = (range.start, range.end);
        Ok(node)
    }

    fn copy_tree(&mut self, original: u32, alias: &Range<u32>) -> Result<u32, Stop> {
        self.copied += 1;
        if self.copied > self.limits.max_alias_nodes {
            return Err(Box::new(
                Diagnostic::error(
                    codes::ALIAS_EXPANSION,
                    self.span(alias),
                    format!("the aliases of this file add more than {} values", self.limits.max_alias_nodes),
                )
                .hint("write shared parts once under `components` and refer to them with `$ref`"),
            ));
        }
        let Node { start, end, data, .. } = *self.tree.node(original);
        let range = start..end;
        match data {
            Data::Array { .. } | Data::Object { .. } => {
                let object = matches!(data, Data::Object { .. });
                if self.stack.len() >= self.limits.max_depth {
                    return Err(self.too_deep(alias));
                }
                let node = self.open(object, &range)?;
                let mut next = self.tree.children(original).next().unwrap_or(NONE);
                while next != NONE {
                    let child = *self.tree.node(next);
                    if let Some(key) = child.key {
                        self.key(key.text, &(key.start..key.end), false);
                    }
                    self.copy_tree(next, alias)?;
                    next = child.next;
                }
                self.close(Some(end));
                Ok(node)
            }
            scalar => Ok(self.add(scalar, &range)),
        }
    }

    fn too_deep(&self, range: &Range<u32>) -> Stop {
        Box::new(
            Diagnostic::error(
                codes::TOO_DEEP,
                self.span(range),
                format!("values are nested more than {} levels deep", self.limits.max_depth),
            )
            .hint("move inner parts under `components` and refer to them with `$ref`"),
        )
    }

    fn add(&mut self, data: Data, range: &Range<u32>) -> u32 {
        let id = offset_of(self.tree.nodes.len());
        let mut node = Node { parent: NONE, next: NONE, key: None, start: range.start, end: range.end, data };
        let mut previous = NONE;
        if let Some(frame) = self.stack.last_mut() {
            node.parent = frame.node;
            if let Some((key, merge)) = frame.key.take() {
                node.key = Some(key);
                if merge {
                    frame.merges.push(id);
                }
            }
            if frame.first == NONE {
                frame.first = id;
            }
            previous = frame.last;
            frame.last = id;
            frame.length += 1;
        }
        if previous != NONE {
            self.tree.nodes[previous as usize].next = id;
        }
        self.tree.nodes.push(node);
        id
    }

    /// Replaces each merge member by the members it merges in: a member written in the object itself wins,
    /// then the earlier merged one.
    fn merge(&mut self, frame: &mut Frame) {
        let written: Vec<u32> = self.siblings(frame.first);
        let mut known: BTreeSet<String> = written
            .iter()
            .filter(|child| !frame.merges.contains(child))
            .map(|child| self.tree.key_text(self.source.text(), *child).to_owned())
            .collect();
        let mut members = Vec::with_capacity(written.len());
        for child in written {
            if !frame.merges.contains(&child) {
                members.push(child);
                continue;
            }
            let merged = match self.tree.node(child).data {
                Data::Object { .. } => vec![child],
                Data::Array { .. } => self.tree.children(child).collect(),
                _ => Vec::new(),
            };
            let well_formed = !merged.is_empty()
                && merged.iter().all(|node| matches!(self.tree.node(*node).data, Data::Object { .. }));
            if !well_formed {
                let Node { start, end, .. } = *self.tree.node(child);
                let diagnostic = Diagnostic::error(
                    codes::INVALID_MERGE_KEY,
                    self.span(&(start..end)),
                    "the merge key `<<` takes an object or an array of objects",
                )
                .hint("write `<<: *anchor` where the anchor names an object, or quote the key: `\"<<\"`");
                self.problems.push(diagnostic);
            }
            for object in merged {
                for member in self.tree.children(object).collect::<Vec<_>>() {
                    let key = self.tree.key_text(self.source.text(), member).to_owned();
                    if known.insert(key) {
                        members.push(member);
                    }
                }
            }
        }
        self.link(frame, &members);
    }

    /// Makes these the members of an object.
    fn link(&mut self, frame: &mut Frame, members: &[u32]) {
        frame.first = members.first().copied().unwrap_or(NONE);
        frame.last = members.last().copied().unwrap_or(NONE);
        frame.length = offset_of(members.len());
        for (index, member) in members.iter().enumerate() {
            let node = &mut self.tree.nodes[*member as usize];
            node.parent = frame.node;
            node.next = members.get(index + 1).copied().unwrap_or(NONE);
        }
    }

    fn siblings(&self, first: u32) -> Vec<u32> {
        let mut all = Vec::new();
        let mut next = first;
        while next != NONE {
            all.push(next);
            next = self.tree.node(next).next;
        }
        all
    }

    /// Reports keys that occur twice, of which the last counts, and indexes large objects.
    fn check_keys(&mut self, frame: &mut Frame) -> u32 {
        let members = self.siblings(frame.first);
        let mut ordered = members.clone();
        let source = self.source.text();
        // A stable sort keeps members of one key in document order, so the first of them is the one that was
        // there before.
        ordered
            .sort_by(|left, right| self.tree.key_text(source, *left).cmp(self.tree.key_text(source, *right)));
        let mut repeated = Vec::new();
        for pair in ordered.windows(2) {
            if self.tree.key_text(source, pair[0]) == self.tree.key_text(source, pair[1]) {
                repeated.push((pair[0], pair[1]));
            }
        }
        for (first, second) in &repeated {
            let key = self.tree.key_text(source, *second).to_owned();
            let (Some(before), Some(again)) = (self.tree.node(*first).key, self.tree.node(*second).key)
            else {
                continue;
            };
            let diagnostic = Diagnostic::error(
                codes::DUPLICATE_KEY,
                self.span(&(again.start..again.end)),
                format!("the key `{key}` occurs twice in one object"),
            )
            .label("again here")
            .related(self.span(&(before.start..before.end)), "first here")
            .hint("remove one of the two, or merge their contents");
            self.problems.push(if self.limits.strict {
                diagnostic
            } else {
                diagnostic.tolerated("the last one counts, as for most readers")
            });
        }
        if !repeated.is_empty() {
            let left_out = |member: &u32| repeated.iter().any(|(first, _)| first == member);
            let kept: Vec<u32> = members.into_iter().filter(|member| !left_out(member)).collect();
            ordered.retain(|member| !left_out(member));
            self.link(frame, &kept);
        }
        if frame.length <= INDEXED_ABOVE {
            return NONE;
        }
        let start = offset_of(self.tree.sorted.len());
        self.tree.sorted.extend(ordered);
        start
    }

    /// Forgets everything that was read.
    pub(crate) fn restart(&mut self) {
        self.tree = Tree::default();
        self.stack.clear();
        self.copied = 0;
    }

    /// Returns the finished tree.
    pub(crate) fn finish(self) -> Tree {
        self.tree
    }
}
