"""Trains the demo's tiny models: a Llama target, a one-layer draft model and EAGLE-3 heads.

The only package here that imports torch, tokenizers and safetensors, none of which specmatrix itself needs.
Run it with ``python -m matrix.demo.train --out DIR``; docs/demo-models.md says what comes out.
"""
