//! For authors of plugins: projects to start from, the contract as text, and builds by the language's own tools.
