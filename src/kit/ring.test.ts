// A linked ring: its members, and that a removed link points to no other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ring } from './ring.ts'

test('what was added is there until it leaves, and points to nothing then', () => {
  const ring = new Ring<string>()
  assert.equal(ring.isEmpty, true)
  const [a, b, c] = ['a', 'b', 'c'].map((value) => ring.add(value))
  assert.deepEqual([...ring], ['c', 'b', 'a'])
  b?.leave()
  b?.leave()
  assert.deepEqual([...ring], ['c', 'a'])
  assert.deepEqual([b?.next, b?.previous], [null, null])
  c?.leave()
  assert.deepEqual([...ring], ['a'])
  a?.leave()
  assert.equal(ring.isEmpty, true)
  ring.add('d')
  assert.deepEqual([...ring], ['d'])
})

test('the visited link may leave during iteration, and so may others', () => {
  const ring = new Ring<number>()
  const links = Array.from({ length: 5 }, (_, at) => ring.add(at))
  const seen: number[] = []
  for (const at of ring) {
    seen.push(at)
    links[at]?.leave()
  }
  assert.deepEqual(seen, [4, 3, 2, 1, 0])
  assert.equal(ring.isEmpty, true)
})

test('random comings and goings equal those of a set', () => {
  const ring = new Ring<number>()
  const members = new Map<number, ReturnType<typeof ring.add>>()
  for (let n = 0; n < 2000; n++) {
    const [oldest] = members.keys()
    if (n % 3 < 2 || oldest === undefined) members.set(n, ring.add(n))
    else {
      const gone = [...members.keys()][(n * 7919) % members.size] as number
      members.get(gone)?.leave()
      members.delete(gone)
    }
    if (n % 50 === 0) assert.deepEqual([...ring], [...members.keys()].reverse())
  }
})
