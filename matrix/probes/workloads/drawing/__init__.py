"""The images of the prompt set `standard-images`; `python -m matrix.probes.workloads.drawing` draws them.

The files in `matrix/probes/workloads/images` are what is sent, byte for byte. A compressor of another version would
pack the same pixels differently, so they are never drawn on the way.
"""
