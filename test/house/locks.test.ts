// The lock files are whole: `npm ci` installs from them on every platform, whatever machine wrote them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from './sources.ts'

type Names = Readonly<Record<string, string>>
interface Entry {
  readonly version?: string
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly dependencies?: Names
  readonly devDependencies?: Names
  readonly optionalDependencies?: Names
}

/** A JSON file of a folder of the project. */
const read = <T>(...path: string[]) => JSON.parse(readFileSync(join(root, ...path), 'utf8')) as T

/** The folders in which npm looks for a package, from a place in the tree upwards. */
function* places(from: string, name: string): Generator<string> {
  for (let place = from; ; place = place.slice(0, Math.max(place.lastIndexOf('node_modules/') - 1, 0))) {
    yield place === '' ? `node_modules/${name}` : `${place}/node_modules/${name}`
    if (place === '') return
  }
}

/** Dependencies of an entry that the lock file does not have. */
function lacking(
  entries: Readonly<Record<string, Entry>>,
  [place, entry]: readonly [string, Entry],
): string[] {
  const needs = { ...entry.dependencies, ...entry.devDependencies, ...entry.optionalDependencies }
  return Object.keys(needs).filter((name) => ![...places(place, name)].some((path) => entries[path]))
}

for (const folder of ['.', 'tools']) {
  const { packages } = read<{ packages: Readonly<Record<string, Entry>> }>(folder, 'package-lock.json')
  const described = read<Entry>(folder, 'package.json')

  test(`${folder}/package-lock.json names every package, those of other platforms too`, () => {
    const lacks = Object.entries(packages).flatMap((entry) =>
      lacking(packages, entry).map((name) => `${entry[0]} needs ${name}`),
    )
    assert.deepEqual(lacks, [])
    // Without these npm would fetch the programs of all platforms, or fail.
    const programs = Object.entries(packages).filter(([place]) =>
      /(?:linux|darwin|win32|windows)-(?:x64|arm64)/.test(place),
    )
    assert.ok(programs.length >= 5)
    for (const [place, { os, cpu }] of programs) assert.ok(os?.length && cpu?.length, place)
  })

  test(`${folder}/package-lock.json is of its package.json, whose versions are exact`, () => {
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'] as const) {
      assert.deepEqual(packages['']?.[kind] ?? {}, described[kind] ?? {}, kind)
      for (const [name, version] of Object.entries(described[kind] ?? {})) {
        assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, name)
        assert.equal(packages[`node_modules/${name}`]?.version, version)
      }
    }
  })
}
