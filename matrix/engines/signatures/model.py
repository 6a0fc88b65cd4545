"""Loading weights into a model: the engine meets a file it does not understand."""

from matrix.engines.signature import row

MODEL = (
    row(
        "weights-without-parameter",
        r"There is no module or parameter named '(?P<name>[^']+)' in (?P<cls>\w+)",
        None,
        "the weights hold a parameter that this release's model lacks: there is no module or parameter named "
        "'{name}' in {cls}",
        "use a release that loads this file, or save the draft without that tensor",
    ),
    row(
        "weights-missing",
        r"(?:Cannot find any model weights with|Error no file named .*(?:safetensors|bin).* found in "
        r"directory) ?(?P<where>.*)",
        None,
        "no weights were found in the model's folder: {where}",
        "put the weight files beside config.json",
    ),
    row(
        "architecture-unsupported",
        r"Model architectures (?P<archs>\[[^\]]*\]) (?:are not supported for now|failed to be inspected)",
        None,
        "this release does not know the model architecture {archs}",
        "look up the first release that lists it",
    ),
    row(
        "eagle3-hooks-missing",
        r"'(?P<cls>\w+)' object has no attribute '(?P<hook>set_eagle3_layers_to_capture|get_embed_and_head"
        r"|get_eagle3_aux_hidden_state_layers|set_aux_hidden_state_layers)'"
        r"|(?P<none>Target model does not have 'embed_tokens')",
        None,
        "the target's class lacks what an EAGLE draft needs: {cls} {hook}{none}",
        "use a release whose model file has these hooks",
    ),
    row(
        "draft-is-no-head",
        r"'(?P<cls>\w+)' object has no attribute '(?P<hook>set_embed|set_embed_and_head|hot_token_id)'",
        None,
        "the draft was loaded as {cls}, which has no {hook}",
        "check that the draft path holds a head of this method",
    ),
    row(
        "partial-spec-flags",
        r"'[<>]=?' not supported between instances of '(?:NoneType' and 'int|int' and 'NoneType)'",
        None,
        "an option was left open and compared with a number",
        "give all three of num-steps, eagle-topk and num-draft-tokens, or none",
    ),
    row(
        "weights-shape",
        r"[Ss]ize mismatch for (?P<name>[\w.]+)|MISMATCH param(?:_data)?=\[[\d, ]+\]"
        r"|(?:param_data|param|loaded_weight)\.(?:shape|size\(\)) ?== ?(?:loaded_weight|param_data"
        r"|param)\.(?:shape|size\(\))"
        r"|Attempted to load weight \((?P<got>[^)]*\)?)\) into parameter"
        r"|Trying to load .{0,80} with shape|copying a param with shape",
        None,
        "a weight's shape is not that of the parameter it is for {name}",
        "check that draft and target have one width, vocabulary and quantisation in this release",
    ),
    row(
        "weights-key",
        r"KeyError: '(?P<key>[\w.]+\.(?:weight|bias|weight_scale\w*|scales|qweight|qzeros|g_idx|input_scale)[\w.]*)'"
        r"|KeyError: '(?P<map>(?:model|layers|lm_head|d2t|t2d|fc|midlayer|draft_id_to_target_id)[\w.]*)'",
        None,
        "the model has no place for the weight {key}{map}, or the file lacks it",
        "use a release that knows this checkpoint's names",
    ),
    row(
        "weights-unreadable",
        r"Error while deserializing header|SafetensorError|invalid load key|PytorchStreamReader failed",
        None,
        "a weight file cannot be read",
        "compare its size and hash with the source; large-file pointers are not weights",
    ),
    row(
        "hidden-width",
        r"assert hidden_states\.shape\[-1\] == (?:input_embeds|embeds|inputs_embeds)\.shape\[-1\]",
        None,
        "the draft's hidden width is not the target's",
        "use a draft trained for this target",
    ),
    row(
        "quantisation-unsupported",
        r"quantization method .{0,40}(?:not supported|is not supported)|Unknown quantization method|The "
        r"quantization method "
        r"\S+ is not supported for the current GPU",
        None,
        "this release or GPU cannot run the quantisation",
        "use an unquantised draft or another release",
    ),
)
