"""The encoder of BERT as an ONNX graph, and its quantisation to 8 bits. `build_model.py` and `build_english.py` use it."""

import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

LONGEST_INPUT = 512


class Failure(Exception):
    """A problem with the input that the message explains."""


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
        graph = helper.make_graph(self.nodes, self.weights.name, inputs, [output], self.constants)
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


def check_quantisation(exact_path, quantised_path, pieces, start, end):
    """Fails unless the quantised model agrees with the exact one on sequences of arbitrary tokens."""
    exact, quantised = (
        onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        for path in (exact_path, quantised_path)
    )
    random = np.random.default_rng(1)
    for length in (4, 16, 64, LONGEST_INPUT - 2):
        ids = [start, *random.integers(*pieces, length), end]
        cosine = float(embed(exact, ids) @ embed(quantised, ids))
        if cosine < 0.98:
            raise Failure(f"The quantised model differs from the exact one: cosine {cosine:.4f} at {length} tokens.")


def write_model(weights, kept, ordinary, start, end, path):
    """Writes the quantised encoder with the rows `kept` of its vocabulary.

    `ordinary` are the first id of the vocabulary that is no special piece, and the number of ids.
    """
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
        check_quantisation(exact, quantised, ordinary, start, end)
        path.write_bytes(quantised.read_bytes())
