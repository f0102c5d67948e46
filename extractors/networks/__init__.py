"""Networks whose weights come inside packages, run by onnxruntime and without torch.

Each network is a row of :data:`extractors.packaged.SOURCES`. Of a package its data
files alone are read, and only those that were checked byte for byte; nothing of it is
imported. Of these weights a graph is built once, in the cache folder.

Ask :func:`extractors.packaged.problem` first whether a network can run here:

>>> from extractors.packaged import CAMPPLUS, problem
>>> reason = problem(CAMPPLUS)  # None, or a sentence with the command to type

Sound is mono at 16 kHz, float32 in [-1, 1], as :attr:`extractors.Clip.speech` is.

- ``campplus.direction(sound)`` gives the unit vector of a voice [shape=(192,)].
- ``segmentation.local_speakers(sound, step_s=5.0)`` gives who of at most three local
  speakers is active, by window of 10 s and frame of 16.875 ms.
- ``fireredvad.events(sound)`` gives speech, singing and music by 10 ms.
- ``yamnet.classes(sound)`` gives 521 classes of sound by 0.48 s.

The last two give probabilities. Each loads its network on the first call, once per
process, and runs in one thread; it raises :class:`blueprints.UserError` where the
network cannot run.
"""
