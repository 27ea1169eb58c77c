// Loaded into the processes of a server under attack: notes every turn of a main thread that took long, by
// what the thread itself worked. Other users of the machine lengthen the clock's time, and not this.
import { appendFileSync, readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** The environment variable that names the file of notes. */
export const NOTES = 'HOSTILE_TURNS'
/** Milliseconds: between two looks, and from which a turn is noted. */
const [EVERY, LONG] = [5, 20]

/** A turn of a main thread: from when to when, in milliseconds of the epoch, and how many of them it worked. */
export interface Turn {
  readonly from: number
  readonly to: number
  readonly worked: number
}

/** The turns that were noted. */
export const turnsIn = (file: string): readonly Turn[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [from = 0, to = 0, worked = 0] = line.split(' ').map(Number)
      return { from, to, worked }
    })

function note(file: string): void {
  let [from, usage] = [Date.now(), process.threadCpuUsage()]
  const look = () => {
    const { user, system } = process.threadCpuUsage(usage)
    const [to, worked] = [Date.now(), Math.round((user + system) / 1000)]
    if (worked >= LONG) appendFileSync(file, `${from} ${to} ${worked}\n`)
    from = to
    usage = process.threadCpuUsage()
    setTimeout(look, EVERY).unref()
  }
  setTimeout(look, EVERY).unref()
}

const file = process.env[NOTES]
if (file && isMainThread) note(file)
