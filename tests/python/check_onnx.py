# SPDX-License-Identifier: Apache-2.0
"""check_onnx.py FILE BATCH: ONNX's own checker and shape inference; BATCH is a number or the name of a free dimension."""
import sys

import onnx

file, batch = sys.argv[1:]
model = onnx.load(file)
onnx.checker.check_model(model, full_check=True)
inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)


def shape(value):
    return [str(d.dim_value or d.dim_param) for d in value.type.tensor_type.shape.dim]


assert [v.name for v in model.graph.input] == ["input"] and shape(model.graph.input[0]) == [batch, "1", "32", "32"]
assert [v.name for v in model.graph.output] == ["output"] and shape(model.graph.output[0]) == [batch, "128"]
inner = {value.name: shape(value) for value in inferred.graph.value_info}
assert inner["rows"] == [batch, "128"], inner
assert "norm" not in inner or inner["norm"] == [batch, "1"], inner
