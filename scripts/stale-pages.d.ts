export function pagesAre(): 'missing' | 'stale' | 'fresh'
