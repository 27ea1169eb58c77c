// The media type of a content by its bytes.

/** The media type; undefined if the bytes do not show it. The library is loaded on first use. */
export async function mediaTypeOf(bytes: Buffer): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type')
  return (await fileTypeFromBuffer(bytes))?.mime
}
