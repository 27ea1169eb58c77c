// The recorded business stories, one after the other.
import { join } from 'node:path'
import { FILES } from '../../journeys/run.ts'
import type { Phase } from '../phase.ts'
import { DATABASE, type Side } from '../side.ts'
import { runVendored } from '../vendored.ts'

const vendor = join(import.meta.dirname, '../../journeys/vendor')

/** Numbers of the stories that a share of a file has. */
const numbersOf = (share: number): string[] =>
  share >= 1 ? [] : ['--only', Array.from({ length: Math.ceil(40 * share) }, (_, i) => i + 1).join()]

export const stories: Phase = {
  name: 'stories',
  about: 'the recorded business stories of test/journeys, one request at a time',
  ids: 'exact',
  repeats: false,
  async play(side, { seed, share, only }) {
    const proxy = await side.recorder.proxy(0)
    try {
      for (const file of FILES)
        if (!only || only.test(file)) await playStories(side, file, { url: proxy.url, seed, share })
    } finally {
      await proxy.close()
    }
  },
}

/** Plays a file of stories; gives what the player printed. */
export async function playStories(
  side: Side,
  file: string,
  { url, seed, share }: { readonly url: string; readonly seed: number; readonly share: number },
): Promise<string> {
  const target = ['--url', url, '--db', DATABASE, '--key', await side.key('admin')]
  const args = ['replay', ...target, ...numbersOf(share), join(vendor, `${file}.json`)]
  return runVendored(join(vendor, 'journeys.mjs'), args, seed)
}
