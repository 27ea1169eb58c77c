// Side channels: no call of a clerk, a portal user or a visitor reveals records and fields that rules
// and groups hide. Each call runs against two versions of the hidden data: the answers must be equal,
// must not contain a secret, and must be refused where the table says so.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { doors } from './doors/index.ts'
import { people, SECRET, type Told, Vault, type Version } from './vault-stage.ts'

let vault: Vault
before(async () => {
  vault = await Vault.open()
})
after(() => vault?.close())

const versions: readonly Version[] = ['one', 'other']

/** The answer without texts of the request that it repeats, which reveal nothing. */
function withoutEcho(text: string, asked: unknown): string {
  if (typeof asked === 'string') return asked ? text.replaceAll(asked, '') : text
  if (typeof asked !== 'object' || asked === null) return text
  return Object.values(asked).reduce(withoutEcho, text)
}

for (const [place, list] of Object.entries(doors)) {
  describe(place, () => {
    for (const door of list) {
      test(door.title, async () => {
        const told: Told[][] = []
        for (const version of versions) {
          await vault.change(version)
          for (const [i, person] of people.entries()) {
            told[i] = [...(told[i] ?? []), await vault.ask(person, door.ask(vault.ids))]
          }
        }
        for (const [i, person] of people.entries()) {
          const [one, other] = told[i] as [Told, Told]
          assert.deepEqual(one, other, `${person} can tell the versions apart`)
          assert.doesNotMatch(withoutEcho(one.text, door.ask(vault.ids)), SECRET, person)
          const expected = typeof door.expect === 'function' ? door.expect(vault.ids, person) : door.expect
          const { text, ...said } = one
          if (!('value' in said)) assert.deepEqual(said, expected, `${person} is told ${text}`)
          else assert.deepEqual(door.part ? door.part(said.value as never) : said.value, expected, person)
        }
      })
    }
  })
}
