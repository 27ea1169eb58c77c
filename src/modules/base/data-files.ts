// The committed data of `data/*.json`, read when first asked for.
import { readFileSync } from 'node:fs'

const files = new Map<string, unknown>()

/** The parsed content of `data/<name>.json`. */
export function readData<T>(name: string): T {
  if (!files.has(name))
    files.set(name, JSON.parse(readFileSync(new URL(`./data/${name}.json`, import.meta.url), 'utf8')))
  return files.get(name) as T
}
