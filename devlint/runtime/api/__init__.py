"""What `import devlint` offers of the runtime."""
