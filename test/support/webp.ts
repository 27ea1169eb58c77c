// WebP files with loss for tests: one grey of any size, without a library.

/** Bits that stand for one block of 16 pixels square, at most. */
const BLOCK_BITS = 64

/**
 * A key frame whose every decision is a no: each block is as its neighbours, with no difference. Both parts
 * are zeros, of which there are enough.
 */
export function plainWebp(width: number, height: number): Buffer {
  const blocks = Math.ceil(width / 16) * Math.ceil(height / 16)
  const modes = Buffer.alloc(Math.min(2 ** 19 - 1, Math.ceil((blocks * BLOCK_BITS) / 8) + 1000))
  const differences = Buffer.alloc(modes.length)
  const head = Buffer.alloc(10)
  // Shown, version 0, a key frame; then how long the first part is.
  head.writeUIntLE((modes.length << 5) | 0b10000, 0, 3)
  head.set([0x9d, 0x01, 0x2a], 3)
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  const frame = Buffer.concat([head, modes, differences])
  const padding = Buffer.alloc(frame.length % 2)
  const riff = Buffer.from('RIFF    WEBPVP8     ', 'latin1')
  riff.writeUInt32LE(12 + frame.length + padding.length, 4)
  riff.writeUInt32LE(frame.length, 16)
  return Buffer.concat([riff, frame, padding])
}
