// The server's log: one line an event on standard error, as text for people or as JSON for machines.
import { styleText } from 'node:util'

export type LogFormat = 'text' | 'json'
export type Level = 'info' | 'warn' | 'error'
/** Facts logged with the message; an `error` is written with its stack and causes. */
export type Facts = Readonly<Record<string, unknown>>

export interface Log {
  info(message: string, facts?: Facts): void
  warn(message: string, facts?: Facts): void
  error(message: string, facts?: Facts): void
}

const colours = { info: 'green', warn: 'yellow', error: 'red' } as const

/** A log that writes lines by `write`, by default to standard error. */
export function createLog(
  format: LogFormat,
  write: (line: string) => void = (line) => process.stderr.write(line),
): Log {
  const line = format === 'json' ? jsonLine : textLine
  const at =
    (level: Level) =>
    (message: string, facts: Facts = {}) =>
      write(`${line(level, message, facts)}\n`)
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/** A log that writes nothing, for tests and embedding. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

function jsonLine(level: Level, message: string, facts: Facts): string {
  const plain = Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [
      key,
      value instanceof Error ? trace(value) : typeof value === 'string' ? short(value) : value,
    ]),
  )
  return JSON.stringify({ time: new Date().toISOString(), level, message: short(message), ...plain })
}

function textLine(level: Level, message: string, facts: Facts): string {
  // An event with a time of its own has only that one.
  const { error, time = new Date().toISOString(), ...rest } = facts
  const words = Object.entries(rest)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? oneLine(value) : JSON.stringify(value)}`)
  const head = [
    String(time),
    styleText(colours[level], level, { stream: process.stderr }),
    oneLine(message),
    ...words,
  ].join(' ')
  return error === undefined ? head : `${head}\n${error instanceof Error ? trace(error) : String(error)}`
}

/** No line breaks out of what strangers sent: one event stays one line. */
const oneLine = (text: string): string => JSON.stringify(short(text)).slice(1, -1)

/** Characters of one fact, or of one error with its stack: what strangers sent may be of any length. */
const LONGEST = 8000
const short = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text)

/** The stacks of an error and of what caused it. */
function trace(error: Error): string {
  const stack = short(error.stack ?? String(error))
  return error.cause instanceof Error ? `${stack}\ncaused by ${trace(error.cause)}` : stack
}
