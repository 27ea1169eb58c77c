// `--faults`: plants each known fault in a copy of the tree, plays a small mix against it, and says whether the
// fault was found.
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/serve.ts'
import type { Finding } from './answers.ts'
import { compareRecordings, type Recording, recordPhase } from './compare.ts'
import { type Fault, faults, plant } from './faults.ts'
import { makeGround } from './ground.ts'
import { type Links, linksOf } from './isomorphic.ts'
import { openDatabase } from './pair.ts'
import type { Phase } from './phase.ts'
import { extensions } from './phases/extensions.ts'
import { mix } from './phases/mix.ts'
import { copyDataDir, openSide } from './side.ts'
import { readTables, type Tables } from './tables.ts'

/** The slice that finds them all: the mix, cold and warm, and one part of the extensions. */
export const slice: Phase = {
  name: 'slice',
  about: 'what finds the planted faults',
  ids: 'exact',
  repeats: true,
  async play(side, options) {
    await mix.play(side, { ...options, share: options.share / 8 })
    await extensions.play(side, { ...options, share: options.share / 12 })
  },
}

const OPTIONS = { seed: 1, share: 1, rounds: 1 }

/** A recorded run of the right server, beside which faulty ones are put. */
export interface Reference {
  readonly recording: Recording
  readonly links: Links
  readonly ground: string
}

const columnsOf = (tables: Tables) => new Map([...tables].map(([name, { columns }]) => [name, columns]))

async function record(tree: string, ground: string, folder: string) {
  const dataDir = join(folder, 'data')
  copyDataDir(ground, dataDir)
  const side = await openSide('old', tree, dataDir)
  try {
    await openDatabase(side)
    const shared = columnsOf(await readTables(side.db))
    const recording = await recordPhase(side, slice, { ...OPTIONS, shared })
    return { recording, links: await linksOf(side.db) }
  } finally {
    await side.close()
  }
}

/** Plays the slice against this tree. `ground` is made where it is missing. */
export async function makeReference(ground: string, folder: string): Promise<Reference> {
  if (!existsSync(ground)) await makeGround(root, ground)
  mkdirSync(folder, { mode: 0o711 })
  try {
    return { ...(await record(root, ground, folder)), ground }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Plays the slice against a tree, and gives what differs from the reference. */
export async function differencesFrom(
  { recording, links, ground }: Reference,
  tree: string,
  folder: string,
): Promise<Finding[]> {
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  const found = await record(tree, ground, folder)
  return compareRecordings(slice, recording, found.recording, { known: new Set(), links })
}

/** Plants a fault below `folder` and gives what differs. */
export async function tryFault(reference: Reference, fault: Fault, folder: string): Promise<Finding[]> {
  mkdirSync(folder, { mode: 0o711 })
  try {
    const tree = join(folder, 'tree')
    plant(fault, tree)
    return await differencesFrom(reference, tree, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Tries all faults; gives how many were missed. */
export async function tryFaults(temp: string, ground = join(temp, 'ground')): Promise<number> {
  const reference = await makeReference(ground, join(temp, 'reference'))
  const same = await differencesFrom(reference, root, join(temp, 'same'))
  console.log(`${same.length ? 'WRONG' : 'right'}: this tree differs from itself in ${same.length} ways`)
  for (const { what, request, detail } of same.slice(0, 3)) console.log(`${what}\n${request}\n${detail}`)
  let missed = same.length ? 1 : 0
  for (const [n, fault] of faults.entries()) {
    const findings = await tryFault(reference, fault, join(temp, `fault-${n}`))
    const [first] = findings
    if (!first) missed++
    console.log(`${first ? 'found ' : 'MISSED'}: ${fault.name}`)
    if (first) console.log(`        ${first.what}, ${first.request.slice(0, 160)}`)
  }
  console.log(`${faults.length - missed} of ${faults.length} faults found`)
  return missed
}
