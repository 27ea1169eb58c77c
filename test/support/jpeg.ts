// Progressive JPEG files for tests: grey of any size in few bytes, without a library.

function marker(code: number, data: readonly number[]): Buffer {
  const length = data.length + 2
  return Buffer.from([0xff, code, length >> 8, length & 255, ...data])
}

/** One of so many components: the first scan alone, whose every block is as the one before. */
export function progressiveJpeg(width: number, height: number, components: 1 | 3 | 4): Buffer {
  const ids = Array.from({ length: components }, (_, at) => at + 1)
  const size = [height >> 8, height & 255, width >> 8, width & 255]
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8) * components
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    marker(0xdb, [0, ...Array<number>(64).fill(1)]),
    marker(0xc2, [8, ...size, components, ...ids.flatMap((id) => [id, 0x11, 0])]),
    // One code of one bit: no difference.
    marker(0xc4, [0, 1, ...Array<number>(15).fill(0), 0]),
    marker(0xda, [components, ...ids.flatMap((id) => [id, 0]), 0, 0, 0]),
    Buffer.alloc(Math.ceil(blocks / 8)),
    Buffer.from([0xff, 0xd9]),
  ])
}
