// The programs of a new module: a contract with its behaviour, the rights, the declaration, a test; their
// texts are in templates/.
import { readFileSync } from 'node:fs'

/** Path within the module's folder, and text. */
interface Program {
  readonly path: string
  readonly text: string
}

/** `fleet_rental` → `fleetRental`. */
const camel = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** `fleet_rental` → `FleetRental`. */
const pascal = (name: string): string => camel(name).replace(/^./, (letter) => letter.toUpperCase())

/** The programs of a module called `name`. */
export function programs(name: string): readonly Program[] {
  const words: Readonly<Record<string, string>> = {
    __name__: name,
    __Name__: pascal(name),
    __camel__: camel(name),
  }
  const fill = (template: string) =>
    readFileSync(new URL(`./templates/${template}.txt`, import.meta.url), 'utf8').replaceAll(
      /__(?:name|Name|camel)__/g,
      (word) => String(words[word]),
    )
  return [
    ...['index.ts', 'task.ts', 'rights.ts'].map((path) => ({ path, text: fill(path) })),
    { path: `${name}.test.ts`, text: fill('test.ts') },
  ]
}
