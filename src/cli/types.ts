// comptoir types: the types of a live database, or of the modules that this package has, as a TypeScript file
// for comptoir/client.

import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { NotFound, StartupError } from '../errors.ts'
import { codeOf, messageOf } from '../kit/caught.ts'
import { configOf, withConfig } from './options.ts'
import { withProgress } from './progress.ts'

interface Given {
  url?: string
  database?: string
  key?: string
  modules?: string
  models?: string
  out?: string
  check?: true
}

const help = `
The typed client uses the file to check every model, field and method:

  $ comptoir types --url https://shop.example --database shop --out models.ts

  import { createClient } from 'comptoir/client'
  import type { Models } from './models.ts'
  const client = createClient<Models>({ url: 'https://shop.example', database: 'shop', key })
  const partners = await client.model('res.partner').searchRead({ fields: ['name', 'country_id'] })

With --url it is read from GET /doc-bearer, fields made over the API included, as the key's user may see it: a user of the group
Dynamic API documentation, which administrators are in. Without --url no server and no database is needed. The same models give the same
text, so that the file can be committed; --check fails in CI when it is out of date.`

/** The command `types`. */
export function typesCommand(): Command {
  const command = new Command('types')
    .description(
      'Write the TypeScript types of models for the typed client: from a live database, or without --url from modules.',
    )
    .option('--url <address>', 'address of the server')
    .option('--database <name>', 'database, if the server has several')
    .addOption(
      new Option('--key <key>', 'API key of a user who may read the documentation').env('COMPTOIR_KEY'),
    )
    .option(
      '--modules <names>',
      'without --url: modules to describe, with their dependencies, separated by commas (default: all)',
    )
    .option('--models <names>', 'only these models, separated by commas')
    .option('--out <file>', 'file to write (default: standard output)')
    .option('--check', 'write nothing; fail when the file at --out is out of date')
    .addHelpText('after', help)
    .action(async (options: Given, self: Command) => {
      const text =
        options.url === undefined ? await ofModules(options, self) : await ofDatabase(options.url, options)
      deliver(text, options)
    })
  return withConfig(command, 'shared')
}

const namesIn = (list: string | undefined): string[] =>
  (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)

const wrong = (message: string): StartupError => new StartupError(message, { exitCode: 2 })

async function ofDatabase(url: string, { database, key, modules, models }: Given): Promise<string> {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw wrong('--url must be an http or https address.')
  if (modules !== undefined)
    throw wrong(
      '--modules is only valid without --url: with --url, the installed modules of the database are used.',
    )
  if (!key) throw wrong('An API key is required: use --key, or COMPTOIR_KEY in the environment.')
  const { liveModels, typesText } = await import('../docs/index.ts')
  const modelFacts = await withProgress(`Reading the models of ${url}`, (progress) =>
    liveModels({
      url,
      database,
      key,
      models: namesIn(models),
      progress: (done, of) => progress(`${done} of ${of}`, done / of),
    }),
  )
  return typesText(modelFacts, database === undefined ? 'a database' : `the database ${database}`)
}

async function ofModules({ modules, models, key, database }: Given, self: Command): Promise<string> {
  if (database !== undefined || (key !== undefined && key !== process.env.COMPTOIR_KEY))
    throw wrong('--database and --key require --url.')
  const [{ declaredModels, typesText }, all] = await Promise.all([
    import('../docs/index.ts'),
    import('../opening.ts'),
  ])
  const names = namesIn(modules)
  try {
    const modelFacts = declaredModels(await all.modulesOf(configOf(self)), names)
    return typesText(
      chosen(modelFacts, namesIn(models)),
      names.length > 0 ? `the modules ${names.join(', ')}` : 'all modules',
    )
  } catch (error) {
    throw error instanceof NotFound ? wrong(error.message) : error
  }
}

function chosen<M extends { readonly name: string }>(
  models: readonly M[],
  names: readonly string[],
): readonly M[] {
  for (const name of names)
    if (!models.some((model) => model.name === name))
      throw wrong(`Model ${name} not found: check its name, and the modules given.`)
  return names.length === 0 ? models : models.filter(({ name }) => names.includes(name))
}

function deliver(text: string, { out, check }: Given): void {
  if (out === undefined) {
    if (check) throw wrong('--check requires --out: the file to check.')
    process.stdout.write(text)
  } else if (check) {
    if (before(out) !== text)
      throw new StartupError(`${out} is out of date: run comptoir types again without --check.`)
  } else write(out, text)
}

function write(path: string, text: string): void {
  try {
    writeFileSync(resolve(path), text)
  } catch (error) {
    throw new StartupError(`${path} cannot be written: ${messageOf(error)}`, { cause: error })
  }
}

function before(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}
