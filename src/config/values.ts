// Readers of settings from text; each throws an Error whose message continues the name of the setting: "must
// be …".

import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { isRange } from '../kit/addresses.ts'
import { present } from '../kit/present.ts'
import { type Rate, rateIn } from '../kit/rate.ts'

/** A whole number. */
export const integer = (least: number, most: number) => (text: string) => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= most)) throw new Error(`must be a whole number from ${least} to ${most}`)
  return value
}

/** Any text but an empty one. */
export const some = (text: string) => {
  if (text === '') throw new Error('must not be empty')
  return text
}

/** The first line of a file. */
export function secretFile(text: string, base: string): string {
  try {
    return some(present(readFileSync(resolve(base, some(text)), 'utf8').split(/\r?\n/, 1)[0]))
  } catch (error) {
    throw new Error('must name a file that can be read, with a text in its first line', { cause: error })
  }
}

/** An existing folder. */
export function folder(text: string, base: string): string {
  const path = resolve(base, some(text))
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`must name a folder; ${path} is not one`)
  return path
}

/** One of several words. */
export const oneOf =
  (...words: readonly string[]) =>
  (text: string) => {
    if (!words.includes(text)) throw new Error(`must be one of: ${words.join(', ')}`)
    return text
  }

/** The address of a PostgreSQL server. */
export function databaseUrl(text: string): string {
  // Of several hosts each may have a port, which no URL has.
  const singleHost = text.replace(/,[^/?#]*/, '').replace('@/', '@localhost/')
  if (!URL.canParse(singleHost) || !['postgres:', 'postgresql:'].includes(new URL(singleHost).protocol))
    throw new Error('must be an address like postgresql://user@host:5432')
  return text
}

/** A regular expression, with `%h` and `%d` for what a host is called. */
export function pattern(text: string): string {
  try {
    new RegExp(text.replace(/%[hd]/g, 'x'))
  } catch (error) {
    throw new Error('must be a regular expression', { cause: error })
  }
  return text
}

/** Addresses and networks, separated by commas. */
export function addresses(text: string): string {
  if (!text.split(',').every((part) => isRange(part.trim())))
    throw new Error('must list addresses or networks such as 10.0.0.0/8')
  return text
}

/** As `addresses`, as a list; an empty text is an empty list. */
export const ranges = (text: string): readonly string[] =>
  text === ''
    ? []
    : addresses(text)
        .split(',')
        .map((part) => part.trim())

/** 32 bytes as hexadecimal digits. */
export function key32(text: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new Error('must be 64 hexadecimal digits')
  return Buffer.from(text, 'hex')
}

/** Names of files, folders with an index and packages, as the files they mean. */
export function moduleFiles(text: string, base: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  return names
    .filter(Boolean)
    .map((name) => (/^[./]|^[a-z]:/i.test(name) ? moduleFile(resolve(base, name)) : packageFile(name, base)))
}

function moduleFile(path: string): string {
  if (!existsSync(path)) throw new Error(`must name an existing file or folder; ${path} does not exist`)
  if (!statSync(path).isDirectory()) return path
  const entryFile = ['index.ts', 'index.js', 'index.mjs'].map((name) => join(path, name)).find(existsSync)
  if (!entryFile) throw new Error(`must name modules; ${path} is a folder without index.ts or index.js`)
  return entryFile
}

function packageFile(name: string, base: string): string {
  try {
    return createRequire(join(base, 'package.json')).resolve(name)
  } catch (error) {
    throw new Error(`must name packages that are installed; ${name} is not found from ${base}`, {
      cause: error,
    })
  }
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** A size in bytes, such as `128m`. */
export function bytes(text: string): number {
  const [, digits, unit] = /^(\d{1,12})([kmg]?)(?:i?b)?$/i.exec(text.trim()) ?? []
  const value = Number(digits) * (UNITS[unit?.toLowerCase() ?? ''] ?? Number.NaN)
  if (!(value > 0 && value <= 512 * 1024 ** 2)) throw new Error('must be a size such as 128m, at most 512m')
  return value
}

/** An address such as `127.0.0.1:9464`, `[::1]:9464` or `9464`; undefined for `no`. */
export function hostAndPort(text: string): { readonly host: string; readonly port: number } | undefined {
  if (switchOf(text) === false) return undefined
  const [, v6, plain, port = ''] = /^(?:(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]*)):)?(\d{1,5})$/i.exec(text) ?? []
  if (port === '' || Number(port) > 65_535)
    throw new Error('must be no, or an address such as 127.0.0.1:9464')
  return { host: v6 || plain || '127.0.0.1', port: Number(port) }
}

/** Seconds of a time such as `90s`, `15m` or `2h`. */
export function duration(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,6})([smh]?)$/.exec(text) ?? []
  const seconds = Number(number) * (unit === 'h' ? 3600 : unit === 'm' ? 60 : 1)
  if (!(seconds > 0 && seconds <= 86_400)) throw new Error('must be a time such as 15m, a day at most')
  return seconds
}

/** A rate such as `600/60s`. */
export function rate(text: string): Rate {
  const parsedRate = rateIn(text)
  if (!parsedRate) throw new Error('must be calls in a time, such as 600/60s or 10000/1d')
  return parsedRate
}

/** Whether a text switches something on or off; undefined for any other text. */
export function switchOf(text: string): boolean | undefined {
  if (['1', 'true', 'yes', 'on'].includes(text)) return true
  return ['0', 'false', 'no', 'off'].includes(text) ? false : undefined
}

/** Whether a switch is on. */
export function yes(text: string): boolean {
  const on = switchOf(text)
  if (on === undefined) throw new Error('must be true or false')
  return on
}

/** Origins between commas, as browsers write them. Throws an Error. */
export function origins(text: string): string[] {
  const originList = text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '')
  const wrong = originList.find(
    (origin) => !URL.canParse(origin) || new URL(origin).origin !== origin.toLowerCase(),
  )
  if (wrong !== undefined) throw new Error(`must be origins such as https://app.example; ${wrong} is not one`)
  return originList.map((origin) => origin.toLowerCase())
}

/** An address of the web. Throws an Error. */
export function webAddress(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error('must be an address such as https://login.example')
  return text
}
