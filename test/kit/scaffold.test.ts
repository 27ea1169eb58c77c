// `comptoir module new`: what it writes where, and what it refuses. That the result compiles, passes and
// installs is shown on the packed package.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runHere } from '../support/command.ts'
import { makeTemp } from '../support/temp.ts'

const temp = makeTemp('scaffold')
after(() => temp.remove())

/** A folder with a package.json of this type. */
function project(name: string, type: string | null): string {
  const folder = join(temp.path, name)
  mkdirSync(folder)
  if (type !== null) writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, type }))
  return folder
}

test('module new: writes a module, and missing files of its project', async () => {
  const folder = project('first', 'commonjs')
  const { code, out } = await runHere('module', 'new', 'fleet_rental', '--dir', folder)
  assert.equal(code, 0)
  const files = ['index.ts', 'task.ts', 'rights.ts', 'fleet_rental.test.ts', 'package.json'].map((file) =>
    join('fleet_rental', file),
  )
  for (const file of [...files, 'tsconfig.json']) {
    assert.ok(existsSync(join(folder, file)), file)
    assert.match(out, new RegExp(`^wrote .*${RegExp.escape(file)}$`, 'm'))
  }
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'fleet_rental/package.json'), 'utf8')), {
    private: true,
    type: 'module',
  })
  assert.match(
    readFileSync(join(folder, 'fleet_rental/task.ts'), 'utf8'),
    /model\('fleet_rental\.task'.*interface FleetRentalTask/s,
  )
  assert.match(
    readFileSync(join(folder, 'fleet_rental/rights.ts'), 'utf8'),
    /ref\('fleet_rental\.model_fleet_rental_task'\)/,
  )
  for (const file of files) assert.doesNotMatch(readFileSync(join(folder, file), 'utf8'), /__/, file)
  assert.match(
    out,
    /npm install --save-dev typescript @types\/node\n.*node --test .*fleet_rental\.test\.ts\n.*comptoir dev --addons /,
  )
})

test('module new: keeps an existing tsconfig.json and package of modules', async () => {
  const folder = project('second', 'module')
  writeFileSync(join(folder, 'tsconfig.json'), '{}')
  const { out } = await runHere('module', 'new', 'loyalty', '--dir', folder, '--json')
  const { module, files } = JSON.parse(out)
  assert.deepEqual([module, files.length], ['loyalty', 4])
  assert.equal(readFileSync(join(folder, 'tsconfig.json'), 'utf8'), '{}')
  assert.equal(existsSync(join(folder, 'loyalty/package.json')), false)

  const again = await runHere('module', 'new', 'loyalty', '--dir', folder)
  assert.deepEqual([again.code, again.out], [2, ''])
  assert.match(again.err, /loyalty already exists: nothing was written/)
})

test('module new: reports gaps of an existing tsconfig.json', async () => {
  const folder = project('begun', 'module')
  const init = '{ "compilerOptions": {\n  // "types": ["node"],\n  "types": [],\n  "noEmit": true } }'
  writeFileSync(join(folder, 'tsconfig.json'), init)
  const { out } = await runHere('module', 'new', 'loyalty', '--dir', folder)
  assert.match(
    out,
    /^Node\.js runs .*: put "allowImportingTsExtensions": true, "types": \["node"\] into .* of tsconfig\.json\.$/m,
  )
  const whole =
    '{ "compilerOptions": { "types": ["node"], "noEmit": true, "allowImportingTsExtensions": true } }'
  for (const [name, text] of [
    ['whole', whole],
    ['extending', '{ "extends": "../tsconfig.json" }'],
  ] as const) {
    writeFileSync(join(project(name, 'module'), 'tsconfig.json'), text)
    assert.doesNotMatch(
      (await runHere('module', 'new', 'loyalty', '--dir', join(temp.path, name))).out,
      /tsconfig/,
    )
  }
})

test('module new: rejects invalid names with a message, and writes nothing', async () => {
  const folder = project('third', null)
  for (const [name, why] of [
    ['Loyalty', /not a valid module name/],
    ['1st', /not a valid module name/],
    ['loyalty-sale', /not a valid module name/],
    ['a'.repeat(41), /at most 40/],
    ['class', /word of JavaScript/],
    ['sale', /A module sale already exists/],
  ] as const) {
    const { code, err } = await runHere('module', 'new', name, '--dir', folder)
    assert.equal(code, 2, name)
    assert.match(err, why)
    assert.equal(existsSync(join(folder, name)), false)
  }
  assert.match(
    (await runHere('module', 'new', 'loyalty', '--dir', join(folder, 'none'))).err,
    /Folder not found/,
  )
})

test('module new: the help of new and dev says what they write, watch and keep', async () => {
  const help = await runHere('module', 'new', '--help')
  for (const word of [
    'NAME/index.ts',
    'NAME/task.ts',
    'NAME/rights.ts',
    'NAME/NAME.test.ts',
    'tsconfig.json',
    '--dir',
    '--json',
    'comptoir dev',
  ])
    assert.ok(help.out.includes(word), word)
  const dev = await runHere('dev', '--help')
  for (const word of [
    '--addons',
    '--database',
    '--demo',
    '--watch',
    '--no-types',
    '--port',
    '--data-dir',
    '--drain-seconds',
  ])
    assert.ok(dev.out.includes(word), word)
  assert.match((await runHere('dev')).err, /Set the modules to work on with --addons/)
})
