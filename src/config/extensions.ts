// Extensions of the documented API: each part has a name, by which it is switched on and off.
import { switchOf } from './values.ts'

/** Every part that can be switched off. */
export const extensionNames = [
  'idempotency',
  'batch',
  'changes',
  'webhooks',
  'versions',
  'scopes',
  'limits',
  'mcp',
  'jobs',
  'dry-run',
  'paging',
  'values',
  'problems',
  'upsert',
] as const

export type ExtensionName = (typeof extensionNames)[number]
export type Extensions = ReadonlySet<ExtensionName>

export const everyExtension: Extensions = new Set(extensionNames)
export const noExtension: Extensions = new Set()

const isName = (name: string): name is ExtensionName => (extensionNames as readonly string[]).includes(name)

/** `yes`, `no`, or names between commas. Throws an Error whose message continues the name of the setting. */
export function readExtensions(text: string): Extensions {
  const whole = switchOf(text)
  if (whole !== undefined) return whole ? everyExtension : noExtension
  const names = text.split(',').map((name) => name.trim())
  const validNames = names.filter(isName)
  if (validNames.length < names.length)
    throw new Error(`must be yes, no, or a list of: ${extensionNames.join(', ')}`)
  return new Set(validNames)
}
