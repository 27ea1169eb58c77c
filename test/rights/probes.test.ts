// Side channels: no call of a clerk, a portal user or a visitor reveals records and fields that rules
// and groups hide. Each call runs against two versions of the hidden data: the answers must be equal,
// must not contain a secret, and must be refused where the table says so.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { probes } from './probes/index.ts'
import { people, SECRET, type Told, Vault, type Version } from './vault-stage.ts'

let vault: Vault
before(async () => {
  vault = await Vault.open()
})
after(() => vault?.close())

const versions: readonly Version[] = ['one', 'other']

/** The answer without texts of the request that it repeats, which reveal nothing. */
function withoutEcho(text: string, request: unknown): string {
  if (typeof request === 'string') return request ? text.replaceAll(request, '') : text
  if (typeof request !== 'object' || request === null) return text
  return Object.values(request).reduce(withoutEcho, text)
}

for (const [place, list] of Object.entries(probes)) {
  describe(place, () => {
    for (const channel of list) {
      test(channel.title, async () => {
        const answersByVersion: Told[][] = []
        for (const version of versions) {
          await vault.change(version)
          for (const [i, person] of people.entries()) {
            answersByVersion[i] = [
              ...(answersByVersion[i] ?? []),
              await vault.ask(person, channel.ask(vault.ids)),
            ]
          }
        }
        for (const [i, person] of people.entries()) {
          const [first, other] = answersByVersion[i] as [Told, Told]
          assert.deepEqual(first, other, `${person} can tell the versions apart`)
          assert.doesNotMatch(withoutEcho(first.text, channel.ask(vault.ids)), SECRET, person)
          const expected =
            typeof channel.expect === 'function' ? channel.expect(vault.ids, person) : channel.expect
          const { text, ...said } = first
          if (!('value' in said)) assert.deepEqual(said, expected, `${person} is told ${text}`)
          else
            assert.deepEqual(channel.part ? channel.part(said.value as never) : said.value, expected, person)
        }
      })
    }
  })
}
