// The SHA-256 of a text, in one go: half the time of an object that takes it in parts.
import { hash } from 'node:crypto'

export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

/** The same as hexadecimal digits: cheaper than bytes. */
export const sha256Hex = (text: string): string => hash('sha256', text, 'hex')
