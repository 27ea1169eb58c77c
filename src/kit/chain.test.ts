// Hash chains: any change, removal or insertion of a link is found at its position.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHAIN_START, type ChainBreak, type ChainHead, type ChainLink, ChainWalk, linkHash } from './chain.ts'

function chainOf(contents: readonly string[]): ChainLink[] {
  let hash = CHAIN_START
  return contents.map((content, at) => {
    hash = linkHash(hash, content)
    return { position: at + 1, hash, content }
  })
}

function breakOf(links: readonly ChainLink[], head?: ChainHead): ChainBreak | null {
  const walk = new ChainWalk()
  for (const link of links) {
    const broken = walk.take(link)
    if (broken) return broken
  }
  return walk.end(head ?? walk.head)
}

const links = chainOf(['a', 'b', 'c', 'd'])
const head = { position: 4, hash: links[3]?.hash ?? '' }
const changed = (position: number, change: Partial<ChainLink>): ChainLink[] =>
  links.map((link) => (link.position === position ? { ...link, ...change } : link))

test('chain: a link is the SHA-256 of the hash before it and its content', () => {
  // printf '%064d%s' 0 a | sha256sum
  assert.equal(links[0]?.hash, '798681f5061511d34f32f43ab175a3ee7007fecfdc844295e054315b0af2d23d')
})

test('chain: an untouched chain has no break', () => {
  assert.equal(breakOf(links, head), null)
  assert.equal(breakOf([], { position: 0, hash: CHAIN_START }), null)
})

test('chain: a changed content or hash is found at its position', () => {
  for (const { position } of links) {
    assert.deepEqual(breakOf(changed(position, { content: 'x' }), head), { position, problem: 'changed' })
    assert.deepEqual(breakOf(changed(position, { hash: CHAIN_START }), head), {
      position,
      problem: 'changed',
    })
  }
})

test('chain: a removed link is missing, the last one by the head', () => {
  for (const { position } of links)
    assert.deepEqual(
      breakOf(
        links.filter((link) => link.position !== position),
        head,
      ),
      { position, problem: 'missing' },
    )
})

test('chain: an inserted link is found, at the end by the head', () => {
  const [first, second, ...others] = links
  assert.ok(first && second)
  assert.deepEqual(breakOf([first, second, second, ...others], head), { position: 2, problem: 'inserted' })
  assert.deepEqual(breakOf(chainOf(['a', 'b', 'c', 'd', 'e']), head), { position: 5, problem: 'inserted' })
})

test('chain: a chain that was hashed anew after a change differs from the head', () => {
  assert.deepEqual(breakOf(chainOf(['a', 'x', 'c', 'd']), head), { position: 4, problem: 'changed' })
})
