// The media type of a content by its bytes.

/** The media type; undefined where the bytes do not tell. The library is loaded when it is first asked. */
export async function mediaTypeOf(bytes: Buffer): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type')
  return (await fileTypeFromBuffer(bytes))?.mime
}
