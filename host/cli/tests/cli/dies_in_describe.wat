;; A plugin by its exports, which dies when the host asks it who it is.
(component
  (core module $code
    (memory (export "memory") 1)
    (func (export "describe") (result i32) unreachable)
    (func (export "nothing")))
  (core instance $code (instantiate $code))
  (type $fields (record
    (field "name" string) (field "version" string) (field "summary" string) (field "settings-schema" string)))
  (func $describe (result $fields)
    (canon lift (core func $code "describe") (memory (core memory $code "memory"))))
  (func $nothing (canon lift (core func $code "nothing")))
  ;; An interface's types are exported by name; only a component of its own can do that.
  (component $about
    (type $plain (record
      (field "name" string) (field "version" string) (field "summary" string) (field "settings-schema" string)))
    (import "fields" (type $fields (eq $plain)))
    (import "call" (func $call (result $fields)))
    (export $description "description" (type $fields))
    (export "describe" (func $call) (func (result $description))))
  (instance $about (instantiate $about (with "fields" (type $fields)) (with "call" (func $describe))))
  (instance $dataset (export "open" (func $nothing)) (export "fill" (func $nothing)))
  (export "benchhost:plugin/about@0.1.0" (instance $about))
  (export "benchhost:plugin/dataset@0.1.0" (instance $dataset)))
