// Facts of objects: worked out once for each, whatever else is worked out meanwhile.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oncePer } from './once-per.ts'

test('facts are worked out once for each object, each kind for itself', () => {
  const runs: string[] = []
  const length = oncePer((text: { readonly of: string }, unit: string) => {
    runs.push(text.of)
    return `${text.of.length} ${unit}`
  })
  const isEmpty = oncePer(({ of }: { readonly of: string }) => of === '')
  const nothing = oncePer((_: object) => null)
  const [word, empty] = [{ of: 'word' }, { of: '' }]
  assert.deepEqual(
    [length(word, 'letters'), length(word, 'letters'), length(empty, 'letters')],
    ['4 letters', '4 letters', '0 letters'],
  )
  assert.deepEqual([isEmpty(word), isEmpty(empty), isEmpty(empty), nothing(word)], [false, true, true, null])
  assert.deepEqual(runs, ['word', ''])
})

test('a fact of an object may be worked out by way of others and of its own other facts', () => {
  interface Node {
    readonly above: Node | null
  }
  const root: Node = { above: null }
  const isRoot = oncePer(({ above }: Node) => above === null)
  const depth: (node: Node) => number = oncePer((node: Node) =>
    isRoot(node) || !node.above ? 0 : depth(node.above) + 1,
  )
  assert.equal(depth({ above: { above: root } }), 2)
})
