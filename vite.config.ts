// How the pages of src/pages become static files in build/pages: one entry a page, names with hashes, a manifest for the server.
import { globSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { defineConfig } from 'vite'

const root = join(import.meta.dirname, 'src/pages')
const entries = globSync('*/main.tsx', { cwd: root })

export default defineConfig({
  root,
  base: '/web/assets/',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(import.meta.dirname, 'build/pages'),
    emptyOutDir: true,
    manifest: 'manifest.json',
    assetsDir: '',
    // A policy without 'data:' for scripts and styles: nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: false,
    target: 'es2022',
    rollupOptions: {
      input: Object.fromEntries(entries.map((path) => [basename(dirname(path)), join(root, path)])),
    },
  },
})
