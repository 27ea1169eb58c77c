// One request and its answer, as a side recorded them.

/** A request of a client to one side, and the answer of that side. */
export interface Exchange {
  /** The concurrent client that sent it; 0 if there is only one. */
  readonly lane: number
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: Buffer
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Milliseconds since 1970. */
  readonly begin: number
  readonly end: number
  /** The next transaction id of the database after the answer; attributes rows to requests. 0: not asked. */
  readonly nextXid: number
}

/** Content types whose bodies are text. */
const TEXT = /json|xml|text|javascript|csv|urlencoded/

export const isText = (type: string | undefined): boolean => type === undefined || TEXT.test(type)

/** Describes a request in one line. */
export function describeRequest({ method, path, requestHeaders, requestBody }: Exchange): string {
  const isMultipart = requestHeaders['content-type']?.includes('multipart')
  const text = isMultipart ? `(${requestBody.length} bytes)` : requestBody.toString('utf8')
  const prefer = requestHeaders.prefer ? ` [Prefer: ${requestHeaders.prefer}]` : ''
  return `${method} ${path}${prefer} ${shorten(text, 1500)}`
}

/** A text of at most `most` characters that says how much was cut. */
export const shorten = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text
