// Files of rows on the command line: packed ones, cells of several lines, keys that come twice, and what is
// said of files and servers that are none.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { exportCommand, importCommand } from '../../src/cli/rows.ts'
import { createClient } from '../../src/client/index.ts'
import { ServiceError, StartupError } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { createUser } from '../../src/services/people.ts'
import { freePort } from '../support/free-port.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { makeTemp } from '../support/temp.ts'

let nodes: Nodes
const folder = makeTemp('row-files')
before(async () => {
  nodes = await openNodes({ known: modules.filter(({ name }) => name === 'base') })
})
after(async () => {
  await nodes?.close()
  folder.remove()
})

const at = (name: string) => join(folder.path, name)
const to = () => ({ url: nodes.servers[0]?.url ?? '', database: 'test', key: nodes.key })

/** Runs a command; gives what it said. */
async function run(command: ReturnType<typeof importCommand>, args: string[], url = to().url) {
  const said: string[] = []
  const { log } = console
  console.log = (line: string) => said.push(line)
  try {
    const where = ['--url', url, '--database', 'test', '--key', nodes.key]
    await command.exitOverride().parseAsync([...args, ...where], { from: 'user' })
  } finally {
    console.log = log
  }
  return said.join('\n')
}

const saying = (kind: typeof ServiceError | typeof StartupError, words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof kind, String(error))
  assert.match(error.message, words)
  return true
}

test('export files: are compressed by their name, and rows of several lines count once', async () => {
  const notes = ['one\ntwo "lines"', 'three\n\nfour', 'five']
  const vals = notes.map((note, n) => ({ external_id: `cells.r${n}`, name: `cells ${n}`, street: note }))
  await createClient(to()).import('res.partner', vals)
  const exportOptions = ['--fields', 'street', '--domain', '[["name", "=like", "cells _"]]', '--order', 'id']
  for (const name of ['out.csv', 'out.csv.gz', 'out.ndjson', 'out.jsonl.gz']) {
    assert.match(await run(exportCommand(), ['res.partner', at(name), ...exportOptions]), /^3 rows/, name)
    const bytes = readFileSync(at(name))
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
    if (name.includes('csv')) assert.match(text, /^id,street\r?\n\d+,"one\ntwo ""lines"""/)
    else
      assert.deepEqual(
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).street),
        notes,
      )
  }
})

test('export files: those for spreadsheets have no formulas, others have the values of fields', async () => {
  const names = ['=1+1', '+32 470', '@name', 'plain', '-5']
  await createClient(to()).import(
    'res.partner',
    names.map((name, n) => ({ external_id: `formulas.r${n}`, name, ref: 'formulas', color: n })),
  )
  const selection = ['--fields', 'name,color', '--domain', '[["ref", "=", "formulas"]]', '--order', 'color']
  const cells = async (...more: string[]) => {
    await run(exportCommand(), ['res.partner', at('formulas.csv'), ...selection, ...more])
    const lines = readFileSync(at('formulas.csv'), 'utf8').trimEnd().split('\r\n')
    return lines.slice(1).map((line) => line.split(',').slice(1))
  }
  const numbered = (texts: readonly string[]) => texts.map((text, n) => [text, String(n)])
  assert.deepEqual(await cells(), numbered(names))
  const tame = numbered(["'=1+1", "'+32 470", "'@name", 'plain', '-5'])
  assert.deepEqual(await cells('--formulas-as-text'), tame)
  await assert.rejects(
    run(exportCommand(), ['res.partner', at('formulas.ndjson'), '--formulas-as-text']),
    saying(StartupError, /is only valid for CSV/),
  )
  const accept = 'text/csv;formulas="text"'
  const body = { domain: [['ref', '=', 'formulas']], fields: ['name'], limit: 1, order: 'color' }
  const { text } = await nodes.call('res.partner/search_read', body, { accept })
  assert.match(text, /^id,name\r\n\d+,'=1\+1\r\n$/)
  const prefer = 'respond-async'
  const job = await nodes.call('res.partner/search_read', body, { accept, prefer })
  const { id } = job.body as { id: string }
  const { url, key } = to()
  const headers = { authorization: `bearer ${key}`, 'x-service-database': 'test' }
  const look = (path: string) => fetch(`${url}/x/1/jobs/${id}${path}`, { headers })
  while (((await (await look('')).json()) as { state: string }).state !== 'done') await sleep(20)
  const result = await look('/result')
  assert.match(result.headers.get('content-type') ?? '', /formulas=text/)
  assert.equal(await result.text(), text)
})

test('row files: JSON lines need the export right, at every endpoint', async () => {
  const reader = { login: 'reader', name: 'Reader', password: 'a long one', roles: ['user'] } as const
  await createUser(nodes.databases, 'test', reader)
  const key = await createKey(nodes.databases, 'test', 'reader', { scope: 'rpc', name: 'r', days: 1 })
  const authorization = `bearer ${key}`
  const body = { domain: [], fields: ['name'], limit: 1 }
  assert.equal((await nodes.call('res.partner/search_read', body, { authorization })).status, 200)
  for (const accept of ['text/csv', 'application/x-ndjson'])
    for (const method of ['search_read', 'read']) {
      const named = method === 'read' ? { ids: [1], fields: ['name'] } : body
      const { status, text } = await nodes.call(`res.partner/${method}`, named, { authorization, accept })
      assert.deepEqual([status, /not allowed to export/.test(text)], [422, true], `${method} ${accept}`)
    }
  // An answer without lines is no export, whatever is accepted.
  const counted = await nodes.call(
    'res.partner/search_count',
    { domain: [] },
    { authorization, accept: 'text/csv' },
  )
  assert.equal(counted.status, 200)
})

test('row files: a missing file or server is reported in plain words', async () => {
  for (const name of ['rows.txt', 'rows.gz', 'csv'])
    for (const command of [importCommand(), exportCommand()])
      await assert.rejects(run(command, ['res.partner', at(name)]), saying(StartupError, /must end in/))
  writeFileSync(at('no.csv.gz'), 'id,name\na,b\n')
  await assert.rejects(
    run(importCommand(), ['res.partner', at('no.csv.gz')]),
    saying(StartupError, /no\.csv\.gz cannot be unpacked/),
  )
  writeFileSync(at('in.csv.gz'), gzipSync('id,name\nfiles.a,Packed\n'))
  assert.match(await run(importCommand(), ['res.partner', at('in.csv.gz')]), /1 created/)
  const nobody = `http://127.0.0.1:${await freePort()}`
  for (const [command, file] of [
    [importCommand(), 'in.csv.gz'],
    [exportCommand(), 'out.csv'],
  ] as const)
    await assert.rejects(
      run(command, ['res.partner', at(file)], nobody),
      saying(StartupError, /127\.0\.0\.1:\d+ cannot be reached/),
    )
})

test('row files: unreadable and unwritable files are named', async () => {
  mkdirSync(at('folder.csv'))
  mkdirSync(at('folder.csv.gz'))
  for (const name of ['folder.csv', 'folder.csv.gz']) {
    const wrong = new RegExp(`${name.replaceAll('.', '\\.')} cannot be`)
    await assert.rejects(run(importCommand(), ['res.partner', at(name)]), saying(StartupError, wrong))
    await assert.rejects(run(exportCommand(), ['res.partner', at(name)]), saying(StartupError, wrong))
  }
  await assert.rejects(
    run(exportCommand(), ['res.partner', at('nowhere/out.csv')]),
    saying(StartupError, /nowhere\/out\.csv cannot be written/),
  )
})

test('export files: rows go through pipes from one server to another', async () => {
  const bin = join(import.meta.dirname, '../../bin/comptoir.js')
  const env = { ...process.env, COMPTOIR_KEY: nodes.key }
  const piped = async (args: readonly string[], input: string) => {
    const where = ['--url', to().url, '--database', 'test']
    const child = spawn(process.execPath, [bin, ...args, ...where], { env })
    const texts = ['', '']
    for (const [n, stream] of [child.stdout, child.stderr].entries())
      stream.setEncoding('utf8').on('data', (text: string) => (texts[n] += text))
    child.stdin.end(input)
    const [code] = (await once(child, 'close')) as [number]
    return { code, out: texts[0], said: texts[1] }
  }
  const imported = await piped(
    ['import', 'res.partner', '-', '--csv'],
    'id,name\npipes.a,Piped 1\npipes.b,"Piped, 2"\n',
  )
  assert.deepEqual(
    [imported.code, imported.out],
    [0, '2 rows: 2 created, 0 updated, 0 unchanged, 0 failed.\n'],
    imported.said,
  )
  const domain = ['--domain', '[["name", "=like", "Piped%"]]', '--order', 'id', '--fields', 'name']
  const csv = await piped(['export', 'res.partner', '-', '--csv', ...domain], '')
  assert.match(String(csv.out), /^id,name\r\n\d+,Piped 1\r\n\d+,"Piped, 2"\r\n$/)
  assert.equal(csv.said, '2 rows.\n')
  const json = await piped(['export', 'res.partner', '-', ...domain], '')
  assert.equal(json.out?.trim().split('\n').length, 2)
  const again = await piped(
    ['import', 'res.partner', '-', '--by', ''],
    String(json.out).replaceAll(/"id":\d+,/g, ''),
  )
  assert.equal(again.code, 0, again.said)
  const named = await piped(['export', 'res.partner', 'x.csv', '--csv'], '')
  assert.deepEqual([named.code, named.out], [2, ''])
})

test('import: a repeated key is rejected with its line, and ends an import of dependent rows', async () => {
  const lines = ['a', 'b', 'a', 'c', 'b', 'a'].map((name, n) =>
    JSON.stringify({ external_id: `twice.${name}`, name: `twice ${n}` }),
  )
  writeFileSync(at('twice.ndjson'), lines.join('\n'))
  await assert.rejects(
    run(importCommand(), ['res.partner', at('twice.ndjson')]),
    saying(ServiceError, /^line 3: .*same key/),
  )
  const progress: unknown[] = []
  const result = await createClient(to()).import(
    'res.partner',
    lines.map((line) => JSON.parse(line)),
    {
      onError: 'skip',
      onRow: (row) => progress.push(row.status === 'failed' ? `${row.line} ${row.error.name}` : row.line),
    },
  )
  assert.deepEqual([result.rows, result.created, result.failed], [6, 3, 3])
  const error = 'werkzeug.exceptions.UnprocessableEntity'
  assert.deepEqual(progress, [1, 2, `3 ${error}`, 4, `5 ${error}`, `6 ${error}`])
})

test('routes: accept known query parameters only, each once', async () => {
  const headers = { authorization: `bearer ${nodes.key}`, 'x-service-database': 'test' }
  const refusalOf = async (path: string, lines = false) => {
    const response = await fetch(`${to().url}/x/1/${path}`, {
      method: lines ? 'POST' : 'GET',
      headers: { ...headers, 'content-type': 'application/x-ndjson', accept: 'application/problem+json' },
      ...(lines && { body: '' }),
    })
    const body = (await response.json()) as { code: string; accepted?: string[]; suggestions?: string[] }
    return { status: response.status, ...body }
  }
  for (const [path, parameterName, lines] of [
    ['export?model=res.bank&', 'domain', false],
    ['bulk/res.partner?', 'on_error', true],
    ['changes?models=res.bank&', 'fields.res.bank', false],
    ['webhooks/1/deliveries?', 'state', false],
  ] as const) {
    const odd = await refusalOf(`${path}${parameterName}x=1`, lines)
    assert.deepEqual([odd.status, odd.code], [422, 'unknown_parameter'], path)
    assert.ok(odd.accepted?.includes(parameterName) && odd.suggestions?.includes(parameterName), path)
    const twice = await refusalOf(`${path}${parameterName}=a&${parameterName}=b`, lines)
    assert.deepEqual([twice.status, twice.code], [422, 'unprocessable_entity'], path)
  }
})
