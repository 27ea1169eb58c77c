// The package by its name, in a checkout: `comptoir/client` and its like lead to the sources, not to what
// `npm run compile` makes of them.
// Loaded by `--import` into programs of tests that are written as its users write them.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './serve.ts'

/** The argument for Node.js that loads this file. */
export const byName = `--import=${import.meta.url}`

/** The same for the compiler: its `paths`. */
export const namedPaths: Readonly<Record<string, readonly string[]>> = Object.fromEntries(entries())

/**
 * Every name that the package exports, with the file of its source; a `*` stands for the name of a module.
 */
function* entries(): Generator<[string, [string]]> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { types?: string }>
  }
  for (const [name, { types }] of Object.entries(exports))
    if (types)
      yield [`comptoir${name.slice(1)}`, [join(root, types.replace('./dist', 'src').replace('.d.ts', '.ts'))]]
}

/** The source that a name means, or undefined for what is not the package's. */
function sourceOf(name: string): string | undefined {
  const module = /^comptoir\/modules\/(.+)$/.exec(name)?.[1]
  return module ? namedPaths['comptoir/modules/*']?.[0]?.replace('*', module) : namedPaths[name]?.[0]
}

registerHooks({
  resolve(name, context, next) {
    const source = sourceOf(name)
    return next(source ? pathToFileURL(source).href : name, context)
  },
})
