// The types of stale-pages.js, which is plain JavaScript.
export function pagesAre(): 'missing' | 'stale' | 'fresh'
