// Messages of the extended protocol, written one behind the other into one buffer (PostgreSQL's documentation, "Message Formats").

const START = 16 * 1024

/** A buffer that grew beyond this is not kept. */
const KEPT = 1024 * 1024

const SYNC = Buffer.from([0x53, 0, 0, 0, 4])
/** Of the unnamed portal. */
const DESCRIBE = Buffer.from([0x44, 0, 0, 0, 6, 0x50, 0])
const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0])

/** One buffer for all: a batch is written without a pause. */
let shared = Buffer.allocUnsafe(START)

export class Messages {
  #buffer = shared
  #at = 0

  /** Prepares a text, in place of what may have the name: after a failure nobody knows whether it has. */
  parse(name: string, text: string): void {
    if (name) {
      const close = this.#open(0x43)
      this.#byte(0x53)
      this.#zeroEnded(name)
      this.#close(close)
    }
    const start = this.#open(0x50)
    this.#zeroEnded(name)
    this.#zeroEnded(text)
    this.#int16(0)
    this.#close(start)
  }

  /** Binds values, encoded as `encode` does (values.ts), to the unnamed portal. Texts come back as texts. */
  bind(name: string, values: readonly unknown[]): void {
    const start = this.#open(0x42)
    this.#byte(0)
    this.#zeroEnded(name)
    const binary = values.some((value) => ArrayBuffer.isView(value))
    this.#int16(binary ? values.length : 0)
    if (binary) for (const value of values) this.#int16(ArrayBuffer.isView(value) ? 1 : 0)
    this.#int16(values.length)
    for (const value of values) this.#value(value)
    this.#int16(0)
    this.#close(start)
  }

  describe(): void {
    this.#bytes(DESCRIBE)
  }

  execute(): void {
    this.#bytes(EXECUTE)
  }

  /** The end of the batch: all of it as bytes of its own. */
  sync(): Buffer {
    this.#bytes(SYNC)
    const whole = this.#buffer.subarray(0, this.#at)
    if (this.#buffer.length > KEPT) {
      // Handed over instead of copied.
      shared = Buffer.allocUnsafe(START)
      return whole
    }
    return Buffer.from(whole)
  }

  #value(value: unknown): void {
    if (value === null || value === undefined) this.#int32(-1)
    else if (ArrayBuffer.isView(value)) {
      const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      this.#int32(bytes.length)
      this.#bytes(bytes)
    } else this.#prefixed(Array.isArray(value) ? arrayLiteral(value) : String(value))
  }

  #prefixed(text: string): void {
    this.#room(4 + most(text))
    const length = this.#buffer.write(text, this.#at + 4, 'utf8')
    this.#buffer.writeInt32BE(length, this.#at)
    this.#at += 4 + length
  }

  #zeroEnded(text: string): void {
    this.#room(most(text))
    this.#at += this.#buffer.write(text, this.#at, 'utf8')
    this.#byte(0)
  }

  #open(code: number): number {
    this.#byte(code)
    const start = this.#at
    this.#room(4)
    this.#at += 4
    return start
  }

  #close(start: number): void {
    this.#buffer.writeInt32BE(this.#at - start, start)
  }

  #byte(byte: number): void {
    this.#room(1)
    this.#buffer[this.#at++] = byte
  }

  #int16(number: number): void {
    this.#room(2)
    this.#at = this.#buffer.writeUInt16BE(number, this.#at)
  }

  #int32(number: number): void {
    this.#room(4)
    this.#at = this.#buffer.writeInt32BE(number, this.#at)
  }

  #bytes(bytes: Uint8Array): void {
    this.#room(bytes.length)
    this.#buffer.set(bytes, this.#at)
    this.#at += bytes.length
  }

  #room(more: number): void {
    if (this.#at + more <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#at + more))
    this.#buffer.copy(larger, 0, 0, this.#at)
    this.#buffer = larger
    if (larger.length <= KEPT) shared = larger
  }
}

/** Bytes that a text takes at most; long ones are counted. */
const most = (text: string): number => (text.length < 1024 ? text.length * 3 : Buffer.byteLength(text))

/** `{"a","b \"c\"",NULL}`, nested as deep as the value. */
function arrayLiteral(items: readonly unknown[]): string {
  return `{${items.map(arrayItem).join(',')}}`
}

function arrayItem(item: unknown): string {
  if (item === null || item === undefined) return 'NULL'
  if (Array.isArray(item)) return arrayLiteral(item)
  const text = ArrayBuffer.isView(item) ? `\\x${Buffer.from(item.buffer, item.byteOffset, item.byteLength).toString('hex')}` : String(item)
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
