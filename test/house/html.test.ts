// HTML is written by the tag `html`, which escapes: no source joins tags and values in a plain template, and
// `raw` is for texts of ours.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sources } from './sources.ts'

const TAG =
  /<\/?(?:a|b|p|h[1-6]|li|ul|ol|td|th|tr|dd|dt|dl|div|span|pre|code|table|form|input|option|label|section|details|script|article|time|img|small)\b/

/** Whether a line has a template without the tag `html` that holds a tag of HTML and a value. */
function joinsByHand(line: string): boolean {
  const open: { text: string; values: number; tagged: boolean }[] = []
  let inText = false
  for (let i = 0; i < line.length; i++) {
    const top = open.at(-1)
    if (line[i] === '`' && !inText) {
      open.push({ text: '', values: 0, tagged: /\b(?:html|tagged)$/.test(line.slice(0, i)) })
      inText = true
    } else if (line[i] === '`') {
      open.pop()
      inText = false
      if (top && !top.tagged && top.values > 0 && TAG.test(top.text)) return true
    } else if (inText && top && line.startsWith('${', i)) {
      top.values++
      inText = false
      i++
    } else if (!inText && top && line[i] === '}') inText = true
    else if (inText && top) top.text += line[i]
  }
  return false
}

/** Where `raw` stands: words of ours, and texts that `html` made and that were kept as text. */
const RAW = ['src/docs/page-model.ts', 'src/kit/print/html.ts']

/** The tag itself, and the policy of markup, which joins pieces of text that it has sanitized. */
const WRITERS = ['src/kit/html.ts', 'src/kit/html-policy.ts']

const rooms = sources().filter(({ path }) => /^src\/(?:http|docs|kit|mcp|services|wire|access)\//.test(path))

// `§` stands for the dollar sign of a value.
const byHand = ['x = `<p>§{y}</p>`', 'html`<p>§{y ? `<b>§{z}</b>` : 0}</p>`', '`§{html`<b>`}<p>`']
const byTag = ['html`<p>§{y ? html`<b>§{z}</b>` : 0}</p>`', '`<p>`', '`a §{b} < c`']

test('the reader of templates finds what it is for', () => {
  const joins = (line: string) => joinsByHand(line.replaceAll('§', '$'))
  assert.deepEqual([...byHand, ...byTag].filter(joins), byHand)
})

test('no HTML is joined from texts by hand', () => {
  assert.ok(rooms.filter(({ text }) => text.includes('html`')).length >= 10)
  const wrong = rooms
    .filter(({ path }) => !WRITERS.includes(path))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, i) => {
        const code = line.replace(/^\s*(?:\/\/|\*).*$/, '')
        return joinsByHand(code) || /\bescapeHtml\b/.test(code) ? [`${path}:${i + 1} ${line.trim()}`] : []
      }),
    )
  assert.deepEqual(wrong, [])
})

test('few places take a text for HTML as it stands', () => {
  const users = rooms
    .filter(({ imports }) => imports.some(({ to }) => to === 'src/kit/html.ts'))
    .filter(({ text }) => /\braw\(|\bHtml\.raw\b/.test(text))
    .map(({ path }) => path)
  assert.deepEqual(users, RAW)
})
