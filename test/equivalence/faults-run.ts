// `--faults`: plants each known fault in a copy of the tree, plays a few steps of the mix against it, and
// reports whether the fault was found.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from './answers.ts'
import { compareRecordings, type Recording, recordPhase } from './compare.ts'
import { copyTree, type Fault, faults, plant } from './faults.ts'
import { makeGround } from './ground.ts'
import { type Links, linksOf } from './isomorphic.ts'
import { openDatabase } from './pair.ts'
import { partOfMix, type StepName } from './phases/mix.ts'
import { copyDataDir, openSide } from './side.ts'

/** Recordings of the right server: those of faulty ones are compared with them. */
interface Reference {
  readonly recording: Recording
  readonly links: Links
}

/** A copy of the tree, in which faults are planted, and the database that every run begins with. */
export class FaultTrial {
  readonly #folder: string
  readonly #tree: string
  readonly #ground: string
  readonly #references = new Map<readonly StepName[], Reference>()
  #runs = 0

  private constructor(folder: string) {
    this.#folder = folder
    this.#tree = join(folder, 'tree')
    this.#ground = join(folder, 'ground')
  }

  /**
   * Copies the tree below `folder` and makes the database there, with the given modules or the usual
   * ones.
   */
  static async open(folder: string, modules?: readonly string[]): Promise<FaultTrial> {
    const trial = new FaultTrial(folder)
    copyTree(trial.#tree)
    await makeGround(trial.#tree, trial.#ground, modules)
    return trial
  }

  /** Differences from the right server once a fault is planted; without one, there should be none. */
  async differences(steps: readonly StepName[], fault?: Fault): Promise<Finding[]> {
    const phase = partOfMix(steps)
    const reference = this.#references.get(steps) ?? (await this.#record(steps))
    this.#references.set(steps, reference)
    const remove = fault && plant(fault, this.#tree)
    try {
      const { recording } = await this.#record(steps, reference)
      return compareRecordings(phase, reference.recording, recording, {
        known: new Set(),
        links: reference.links,
      })
    } finally {
      remove?.()
    }
  }

  async #record(steps: readonly StepName[], reference?: Reference): Promise<Reference> {
    const dataDir = join(this.#folder, `data-${this.#runs++}`)
    copyDataDir(this.#ground, dataDir)
    const side = await openSide(reference ? 'new' : 'old', this.#tree, dataDir)
    try {
      await openDatabase(side)
      const recording = await recordPhase(side, partOfMix(steps), { seed: 1, share: 1, rounds: 1 })
      return { recording, links: reference?.links ?? (await linksOf(side.db)) }
    } finally {
      await side.close()
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
    }
  }
}

/**
 * Tries the faults whose names match, below `folder`; gives how many were missed, and how many lists of steps
 * differ without a fault.
 */
export async function tryFaults(folder: string, names: RegExp): Promise<number> {
  const tried = faults.filter(({ name }) => names.test(name))
  const trial = await FaultTrial.open(folder)
  let wrong = 0
  for (const steps of new Set(tried.map((fault) => fault.steps))) {
    const findings = await trial.differences(steps)
    if (findings.length) wrong++
    console.log(`${findings.length ? 'WRONG ' : 'right '}: without a fault, ${findings.length} differences`)
    for (const { what, request, detail } of findings.slice(0, 3))
      console.log(`${what}\n${request}\n${detail}`)
  }
  let detected = 0
  for (const fault of tried) {
    const [first] = await trial.differences(fault.steps, fault)
    if (first) detected++
    console.log(`${first ? 'found ' : 'MISSED'}: ${fault.name}`)
    if (first) console.log(`        ${first.what}, ${first.request.slice(0, 160)}`)
  }
  console.log(`${detected} of ${tried.length} faults found`)
  return wrong + tried.length - detected
}
